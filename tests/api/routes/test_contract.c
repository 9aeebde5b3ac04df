/* The contract has the routes and models of the tables, no fewer and no more.
 * It is read line by line: keys are found by their indent. */
#include <ctype.h>

#include "kernels/ops/op.h"
#include "tests/api/answer.h"
#include "tests/unit.h"

static char *contract;

static void set_up(void)
{
    struct api_request request = {.method = "GET", .path = "/openapi.yaml"};
    struct api_reply reply;

    api_answer(&request, &reply);
    contract = strndup(reply.pieces[0].data, reply.pieces[0].len);
    ck_assert_ptr_nonnull(contract);
}

static void tear_down(void)
{
    free(contract);
}

/* A line of the contract: its indent, and its key, up to the colon. */
struct line {
    const char *at;
    size_t indent, len;
};

static struct line line_at(const char *text)
{
    struct line line = {text, strspn(text, " "), 0};

    line.at += line.indent;
    line.len = strcspn(line.at, "\n");
    for (size_t i = 0; i < line.len; i++)
        if (line.at[i] == ':' && strchr(" \n", line.at[i + 1]))
            line.len = i;
    return line;
}

static const char *next_line(const char *text)
{
    text += strcspn(text, "\n");
    return *text ? text + 1 : text;
}

/* Behind the line with this key at this indent, not past one that is indented
 * less; NULL when there is none. */
static const char *find(const char *text, size_t indent, const char *key)
{
    for (; text && *text; text = next_line(text)) {
        struct line line = line_at(text);

        if (line.indent < indent && *line.at != '\n')
            return NULL;
        if (line.indent == indent && line.len == strlen(key) &&
            memcmp(line.at, key, line.len) == 0)
            return next_line(text);
    }
    return NULL;
}

/* How many keys there are at this indent before one that is indented less. */
static int count(const char *text, size_t indent)
{
    int found = 0;

    for (; *text; text = next_line(text)) {
        struct line line = line_at(text);

        if (line.indent < indent && *line.at != '\n')
            break;
        found += line.indent == indent && line.len > 0;
    }
    return found;
}

static const char *section(const char *name)
{
    const char *text = find(contract, 0, name);

    ck_assert_msg(text, "openapi.yaml has no %s", name);
    return text;
}

static const char *schemas(void)
{
    const char *text = find(section("components"), 2, "schemas");

    ck_assert_ptr_nonnull(text);
    return text;
}

static void check_methods(const char *path, const char *text, const char *allow)
{
    static const char *const methods[] = {
        "get", "head", "post", "put", "patch", "delete", "options", "trace"};

    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        char method[16] = {0};

        for (size_t j = 0; methods[i][j]; j++)
            method[j] = (char)toupper(methods[i][j]);
        ck_assert_msg(!strstr(allow, method) == !find(text, 4, methods[i]),
                      "%s: the table allows %s, openapi.yaml differs in %s",
                      path, allow, methods[i]);
    }
}

UNIT_TEST(contract_has_the_routes_of_the_table)
{
    const char *paths = section("paths");
    int described = 0;

    for (const struct api_route_row *row = api_routes; row->path; row++) {
        const char *path = row->path, *text;

        /* The contract has it as /v2: linters refuse a slash at the end. */
        if (strcmp(path, "/v2/") == 0)
            continue;
        described++;
        text = find(paths, 2, path);
        ck_assert_msg(
            text, "%s is in api/api.h, not in api/routes/openapi.yaml", path);
        check_methods(path, text, row[-row->again].allow);
    }
    ck_assert_int_gt(described, 10);
    ck_assert_msg(count(paths, 2) == described,
                  "openapi.yaml has %d paths, api/routes/route.c %d",
                  count(paths, 2), described);
}

static const char *type_of(const struct attribute *a)
{
    if (a->role == ATTRIBUTE_OUTPUT_NAME)
        return "{$ref: '#/components/schemas/OutputName'}";
    switch (a->kind) {
    case ATTRIBUTE_INT:
        return "{$ref: '#/components/schemas/Axis'}";
    case ATTRIBUTE_FLOAT:
        return "{$ref: '#/components/schemas/Coefficient'}";
    case ATTRIBUTE_BOOL:
        return "{type: [boolean, 'null'], default: true}";
    case ATTRIBUTE_TEXT:
        return "{type: [string, 'null']}";
    }
    return "";
}

/* The model's description has `text`: it says what a schema from which clients
 * are generated cannot, such as inputs by their names. */
static void check_described(const struct op *op, const char *schema,
                            const char *text)
{
    const char *at = strstr(schema, text);

    ck_assert_msg(at && at < find(schema, 6, "type"),
                  "%s: its description in openapi.yaml lacks %s", op->name,
                  text);
}

static void check_attribute(const struct op *op, const struct attribute *a,
                            const char *schema, const char *all)
{
    const char *at = find(all, 12, a->name);
    char text[160];

    snprintf(text, sizeof(text), "            %s: %s\n", a->name, type_of(a));
    ck_assert_msg(at && !strncmp(at - strlen(text), text, strlen(text)),
                  "%s: openapi.yaml lacks the line\n%s", op->name, text);
    if (a->kind == ATTRIBUTE_BOOL)
        snprintf(text, sizeof(text), "`%s` %s", a->name,
                 a->fallback > 0 ? "true" : "false");
    else if (a->kind != ATTRIBUTE_TEXT)
        snprintf(text, sizeof(text), "`%s` %g", a->name, a->fallback);
    if (a->kind != ATTRIBUTE_TEXT)
        check_described(op, schema, text);
    snprintf(text, sizeof(text), "`%s`", a->alias ? a->alias : op->data);
    check_described(op, schema, text);
}

static void check_attributes(const struct op *op, const char *schema)
{
    static const char *const protocol[] = {"timeout", "binary_data_output",
                                           "priority"};
    const char *text = find(schema, 6, "properties");
    const char *parameters = find(text, 8, "parameters");
    const char *all = find(parameters, 10, "properties");
    int expected = 0;

    ck_assert_msg(all, "%s has no parameters", op->name);
    for (; op->attributes[expected].name; expected++)
        check_attribute(op, &op->attributes[expected], schema, all);
    for (int i = 0; i < 3; i++, expected++)
        ck_assert_msg(find(all, 12, protocol[i]), "%s lacks %s", op->name,
                      protocol[i]);
    ck_assert_msg(count(all, 12) == expected,
                  "%s: openapi.yaml has %d parameters, the model %d", op->name,
                  count(all, 12), expected);
}

static void check_inputs(const struct op *op, const char *schema)
{
    char text[80];

    snprintf(text, sizeof(text), "`%s`", op->data);
    check_described(op, schema, text);
    snprintf(text, sizeof(text), "`%s`", op->control);
    check_described(op, schema, text);
}

UNIT_TEST(contract_has_the_models_of_the_table)
{
    int models = 0, named = 0;

    for (; op_table[models]; models++) {
        const struct op *op = op_table[models];
        const char *text = find(schemas(), 4, op->name);
        char want[128];

        ck_assert_msg(text, "openapi.yaml has no schema %s", op->name);
        check_attributes(op, text);
        check_inputs(op, text);
        snprintf(want, sizeof(want), "\n          - %s\n", op->name);
        ck_assert_msg(strstr(contract, want), "ModelName lacks %s", op->name);
    }
    /* Only models have a dot in their names. */
    for (const char *at = schemas(); *at; at = next_line(at)) {
        struct line line = line_at(at);

        if (line.indent < 4 && *line.at != '\n')
            break;
        named += line.indent == 4 && memchr(line.at, '.', line.len) != NULL;
    }
    ck_assert_int_eq(named, models);
}

FIXTURE(set_up, tear_down)
