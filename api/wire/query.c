#include "api/wire/query.h"

#include <stdlib.h>
#include <string.h>

#include "api/base/digits.h"
#include "api/base/percent.h"

/* Decodes [text, end) in place and ends it with a NUL; false for a broken
 * escape or %00. */
static bool decode(char *text, char *end, size_t *len)
{
    for (char *at = text; at < end; at++)
        *at = *at == '+' ? ' ' : *at;
    *len = (size_t)(end - text);
    if (!percent_decode(text, *len, text, *len, len))
        return false;
    text[*len] = '\0';
    return true;
}

static bool is_repeated(const struct query *q, const char *key)
{
    for (int i = 0; i < q->doc->parameter_count; i++)
        if (strcmp(q->doc->parameters[i].key, key) == 0)
            return true;
    return (strcmp(key, "id") == 0 && q->doc->id) ||
           (strcmp(key, q->op->control) == 0 && q->doc->input_count > 1);
}

static bool is_item(const char *text, size_t len)
{
    size_t sign = len > 1 && *text == '-';

    return (len == 4 && memcmp(text, "true", 4) == 0) ||
           (len == 5 && memcmp(text, "false", 5) == 0) ||
           (len > sign && strspn(text + sign, "0123456789") >= len - sign);
}

/* Counts the integers or booleans between commas; `text` ends at `end`. */
static bool count_items(const char *name, const char *text, const char *end,
                        uint64_t *count, struct status *st)
{
    bool more = text < end;

    *count = 0;
    while (more) {
        size_t len = 0;

        text += strspn(text, " ");
        len = strcspn(text, " ,]");
        if (!is_item(text, len))
            return status_fail(st, STATUS_INVALID,
                               "%s[%llu] in the query is '%.*s', but it must "
                               "be an integer, or true or false",
                               name, (unsigned long long)*count,
                               len < 40 ? (int)len : 40, text);
        ++*count;
        text += len;
        text += strspn(text, " ");
        if (text < end && *text != ',')
            return status_fail(st, STATUS_INVALID,
                               "%s in the query: a comma is expected behind "
                               "entry %llu",
                               name, (unsigned long long)*count - 1);
        more = text < end;
        text += more;
    }
    return true;
}

/* Makes "4,3,2,1" or "[4,3,2,1]" the data array of an input. Brackets are
 * written over the bytes on either side, the '=' and the end of the value. */
static bool read_control(struct query *q, char *value, size_t len,
                         struct status *st)
{
    struct document_input *input = &q->doc->inputs[1];
    const char *type = q->op->control_datatype;

    if (len >= 2 && *value == '[' && value[len - 1] == ']') {
        value++;
        len -= 2;
    }
    *input = (struct document_input){.name = q->op->control,
                                     .form = DOCUMENT_FORM_JSON};
    if (!count_items(input->name, value, value + len, &input->count, st))
        return false;
    input->shape = (struct shape){1, {(int64_t)input->count}};
    dtype_parse(type, strlen(type), &input->dtype);
    if (*value == 't' || *value == 'f')
        input->dtype = DTYPE_BOOL;
    value[-1] = '[';
    value[len] = ']';
    input->data.start = (size_t)(value - 1 - q->doc->text);
    input->data.len = len + 2;
    q->doc->input_count = 2;
    return true;
}

static bool is_flag(const struct op *op, const char *key)
{
    int at = op_attribute_find(op, key);

    return at < 0 ? strcmp(key, "binary_data_output") == 0
                  : op->attributes[at].kind == ATTRIBUTE_BOOL;
}

/* Values of a query are text, except that true and false are booleans where the
 * operator wants one. */
static struct document_parameter parameter(const struct op *op, const char *key,
                                           const char *value)
{
    bool yes = strcmp(value, "true") == 0;

    if (is_flag(op, key) && (yes || strcmp(value, "false") == 0))
        return (struct document_parameter){
            .key = key, .kind = DOCUMENT_BOOL, .flag = yes, .is_typed = true};
    return (struct document_parameter){
        .key = key, .kind = DOCUMENT_TEXT, .text = value, .is_typed = true};
}

static bool read_entry(struct query *q, char *key, char *value, size_t len,
                       struct status *st)
{
    struct document *doc = q->doc;

    if (is_repeated(q, key))
        return status_fail(st, STATUS_INVALID, "the query gives '%.64s' twice",
                           key);
    if (strcmp(key, q->op->control) == 0)
        return read_control(q, value, len, st);
    if (strcmp(key, "id") == 0) {
        doc->id = len > 0 ? value : NULL;
        doc->id_len = len;
        return true;
    }
    if (doc->parameter_count == DOCUMENT_MAX_PARAMETERS)
        return status_fail(st, STATUS_INVALID,
                           "the query has more than %d entries",
                           DOCUMENT_MAX_PARAMETERS);
    doc->parameters[doc->parameter_count++] = parameter(q->op, key, value);
    return true;
}

static bool read_pair(struct query *q, char *at, char *end, struct status *st)
{
    char *value = memchr(at, '=', (size_t)(end - at));
    size_t key_len, len;

    if (!value)
        return status_fail(st, STATUS_INVALID,
                           "the query's '%.*s' has no value",
                           end - at < 64 ? (int)(end - at) : 64, at);
    if (!decode(value + 1, end, &len) || !decode(at, value, &key_len))
        return status_fail(st, STATUS_INVALID,
                           "the query has a broken %% escape");
    return read_entry(q, at, value + 1, len, st);
}

bool query_read(struct query *q, char *at, struct status *st)
{
    bool more = *at != '\0';

    while (more) {
        char *end = at + strcspn(at, "&");

        more = *end != '\0'; /* before the pair is written on */
        if (end > at && !read_pair(q, at, end, st))
            return false;
        at = end + 1;
    }
    return true;
}

uint64_t query_timeout(const char *query)
{
    static const char name[] = "timeout=";
    uint64_t timeout;

    while (query && strncmp(query, name, sizeof(name) - 1) != 0) {
        const char *end = strchr(query, '&');

        query = end ? end + 1 : NULL;
    }
    if (!query)
        return 0;
    query += sizeof(name) - 1;
    return digits_read(query, strcspn(query, "&"), &timeout) ? timeout : 0;
}
