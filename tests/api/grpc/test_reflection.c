/* Server reflection, and that the table of methods is what it tells. */
#include "api/grpc/tables.h"
#include "tests/api/ask.h"
#include "tests/api/grpc/call.h"
#include "tests/unit.h"

#define V1 "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
#define ALPHA "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"

static const struct {
    const char *path, *hex;
    const char *begin, *part; /* of the answer */
} cases[] = {
    /* list_services, with a host */
    {V1, "0a01 68 3a00", "0 {1='h' 2={",
     "6={1={1='grpc.health.v1.Health'} 1={1='grpc.reflection.v1."
     "ServerReflection'} 1={1='grpc.reflection.v1alpha.ServerReflection'} "
     "1={1='inference.GRPCInferenceService'}}}"},
    {ALPHA, "3a00", "0 {1='' 2={7=''}", "'inference.GRPCInferenceService'"},
    /* file_by_filename "model_config.proto", and an unknown one */
    {V1, "1a12 6d6f64656c5f636f6e6669672e70726f746f", "0 {", "4={1={1='model_"},
    {V1, "1a0178", "0 {", "7={1=5 2='no such file'}"},
    /* file_containing_symbol "inference", and "grpc.health.v1.Health.Check" */
    {V1, "2209 696e666572656e6365", "0 {", "7={1=5 2='no such symbol'}"},
    {V1, "221b 677270632e6865616c74682e76312e4865616c74682e436865636b", "0 {",
     "4={1={1='grpc/health/v1/health.proto'"},
    /* extensions */
    {V1, "2a00", "0 {", "7={1=5 2='no such extension'}"},
    {V1, "3215 677270632e6865616c74682e76312e4865616c7468", "0 {",
     "5={1='grpc.health.v1.Health'}"},
    {V1, "320178", "0 {", "7={1=5 2='no such type'}"},
    /* nothing; the last choice of two; malformed */
    {V1, "", "0 {1='' 2=''", "7={1=3 2='the request asks nothing'}"},
    {V1, "3a00 1a0178", "0 {", "no such file"},
    /* the host behind the choice */
    {V1, "1a0178 0a0168", "0 {1='h' 2={", "no such file"},
    {V1, "3a", "13 malformed message at byte 1", ""},
    {V1, "220180", "13 file_containing_symbol is not UTF-8", ""},
};

LOOP_TEST(a_question_is_answered, COUNT(cases))
{
    char *text = call_ask(cases[_i].path, cases[_i].hex);

    ck_assert_msg(strstr(text, cases[_i].begin) == text, "%s", text);
    ck_assert_msg(strstr(text, cases[_i].part), "%s", text);
    free(text);
}

/* Asks for a name by field `tag`; the reply begins with the file `index`. */
static void check_file(const char *tag, const char *name, int index)
{
    char hex[400], part[100],
        *at = hex + sprintf(hex, "%s%02zx", tag, strlen(name)), *text;

    for (const char *c = name; *c; c++)
        at += sprintf(at, "%02x", (unsigned char)*c);
    text = call_ask(V1, hex);
    for (; index >= 0; index = grpc_files[index].imports) {
        snprintf(part, sizeof(part), "1={1='%s'", grpc_files[index].name);
        assert_parts(text, part);
    }
    free(text);
}

UNIT_TEST(each_file_and_symbol_is_found)
{
    for (int i = 0; grpc_files[i].name; i++)
        check_file("1a", grpc_files[i].name, i);
    for (int i = 0; grpc_symbols[i].name; i++)
        check_file("22", grpc_symbols[i].name, grpc_symbols[i].file);
}

static bool is_symbol(const char *name)
{
    for (int i = 0; grpc_symbols[i].name; i++)
        if (strcmp(grpc_symbols[i].name, name) == 0)
            return true;
    return false;
}

static bool is_service(const char *name, size_t len)
{
    for (int i = 0; grpc_services[i]; i++)
        if (strlen(grpc_services[i]) == len &&
            memcmp(grpc_services[i], name, len) == 0)
            return true;
    return false;
}

/* A method is a symbol that is directly in a service. */
static int count_methods(void)
{
    int count = 0;

    for (int i = 0; grpc_symbols[i].name; i++) {
        const char *name = grpc_symbols[i].name;
        const char *last = strrchr(name, '.');

        count += last && is_service(name, (size_t)(last - name));
    }
    return count;
}

UNIT_TEST(each_method_is_in_the_table)
{
    const struct api_grpc_method *method;
    int count = 0;
    char name[128];

    for (; (method = api_grpc_at((size_t)count)); count++) {
        snprintf(name, sizeof(name), "%s", method->path + 1);
        *strchr(name, '/') = '.';
        ck_assert_msg(is_symbol(name), "%s", name);
        ck_assert_ptr_eq(api_grpc_find(method->path), method);
    }
    ck_assert_int_eq(count, count_methods());
}

/* A table has the route and the label that HTTP has for it. */
UNIT_TEST(each_label_is_a_route)
{
    const struct api_grpc_method *method;

    for (size_t i = 0; (method = api_grpc_at(i)); i++) {
        const struct api_route_row *row = api_routes;

        while (row->path && strcmp(row->path, method->label) != 0)
            row++;
        ck_assert_msg(row->path || method->route == API_ROUTE_NONE, "%s",
                      method->path);
    }
}
