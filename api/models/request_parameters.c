#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/document/field.h"
#include "api/document/misplaced.h"
#include "api/models/model.h"

/* The string in an array of one, which is the name of an output; else NULL. */
static const char *listed(const struct tree_value *p)
{
    return p->kind == TREE_ARRAY && p->count == 1 ? field_plain(p->first)
                                                  : NULL;
}

static bool refuse(const struct tree_value *p, const char *want,
                   struct status *st)
{
    char text[FIELD_TYPE_SIZE];
    const char *plain = field_plain(p), *list = listed(p), *is = text;
    double real;

    if (p->kind == TREE_BOOL)
        is = p->flag ? "true" : "false";
    else if (field_real(p, &real))
        is = field_number(p, text);
    else if (plain || list)
        snprintf(text, sizeof(text), plain ? "'%.40s'" : "['%.40s']",
                 plain ? plain : list);
    else if (p->kind == TREE_ARRAY)
        snprintf(text, sizeof(text), "an array of %zu", p->count);
    else
        is = p->kind == TREE_STRING ? "a string with a NUL"
                                    : field_type(p, text);
    return status_fail(st, STATUS_INVALID, "%.40s is %s, but it must be %s",
                       p->key, is, want);
}

/* True for digits, perhaps with a sign. */
static bool is_integer_text(const char *text)
{
    text += *text == '-';
    return *text && strspn(text, "0123456789") == strlen(text);
}

/* The value as an integer, which a string of decimal digits is too. False for
 * all else, and past 64 bits. */
static bool read_integer(const struct tree_value *p, int64_t *value)
{
    const char *text = field_plain(p);

    if (!text || !is_integer_text(text))
        return field_integer(p, value);
    errno = 0;
    *value = strtoll(text, NULL, 10);
    return errno == 0;
}

static bool read_int(const struct tree_value *p, int64_t *value,
                     struct status *st)
{
    const char *text = field_plain(p);
    double real;

    if (read_integer(p, value))
        return true;
    return refuse(p,
                  (field_real(p, &real) && fabs(real) >= 0x1p63) ||
                          (text && is_integer_text(text))
                      ? "an integer from -9223372036854775808 to "
                        "9223372036854775807"
                      : "an integer",
                  st);
}

static bool read_number(const struct tree_value *p, double *value,
                        struct status *st)
{
    const char *text = field_plain(p);
    bool is_number = field_real(p, value);
    char *end;

    if (text && strspn(text, "-+.eE0123456789") == strlen(text)) {
        *value = strtod(text, &end);
        is_number = end != text && *end == '\0';
    }
    /* Most datatypes are scaled in FP32, where more would be infinity. */
    return (is_number && fabs(*value) <= (double)FLT_MAX) ||
           refuse(p, "a number in the range of FP32", st);
}

/* A list of one text is the name of an output. */
static bool read_text(const struct tree_value *p, bool list, const char **text,
                      struct status *st)
{
    *text = field_plain(p);
    if (!*text && list)
        *text = listed(p);
    if (!*text)
        return refuse(
            p, list ? "a string or an array of one string" : "a string", st);
    return !list || **text ||
           status_fail(st, STATUS_INVALID, "%s is empty", p->key);
}

static bool read_value(const struct tree_value *p, const struct attribute *a,
                       struct attribute_value *value, struct status *st)
{
    if (value->given)
        return status_fail(st, STATUS_INVALID,
                           "%s is given twice, also as '%s'", a->name,
                           a->alias);
    value->given = true;
    switch (a->kind) {
    case ATTRIBUTE_INT:
        value->text = p->kind == TREE_NUMBER ? p->text : NULL;
        return read_int(p, &value->integer, st);
    case ATTRIBUTE_FLOAT:
        return read_number(p, &value->number, st);
    case ATTRIBUTE_BOOL:
        value->flag = p->kind == TREE_BOOL && p->flag;
        return p->kind == TREE_BOOL || refuse(p, "a boolean", st);
    case ATTRIBUTE_TEXT:
        return read_text(p, a->role == ATTRIBUTE_OUTPUT_NAME, &value->text, st);
    }
    return true;
}

bool request_parameters_read_attribute(const struct op *op,
                                       const struct tree_value *p,
                                       struct attribute_value *values,
                                       struct status *st)
{
    int at = op_attribute_find(op, p->key);

    if (at >= 0)
        return read_value(p, &op->attributes[at], &values[at], st);
    return status_fail(st, STATUS_INVALID, "%.40s is no attribute of %s",
                       p->key, op->name);
}

static bool is_mistyped(const struct model *model, const char *key)
{
    static const char *const own[] = {"binary_data_output", "timeout",
                                      "priority",           "sequence_id",
                                      "sequence_start",     "sequence_end"};
    const struct attribute *attributes = model->op->attributes;

    for (int i = 0; attributes[i].name; i++)
        if (near_name(key, attributes[i].name))
            return true;
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (near_name(key, own[i]))
            return true;
    return false;
}

/* True for a key of the client's own, which is ignored. INVALID, with the known
 * ones, for a key that was meant to change the answer: triton_*, an attribute
 * of another operator, a near miss of a known name, and every key in a URL. */
static bool pass_unknown(const struct model *model, const struct document *doc,
                         const struct tree_value *p, struct status *st)
{
    const struct attribute *attributes = model->op->attributes;
    const char *key = p->key;
    char known[200] = "", advice[80];

    if (misplaced_is_free(key, model->op, advice, sizeof(advice)) &&
        !doc->has_query && strncmp(key, "triton_", 7) != 0 &&
        !is_mistyped(model, key))
        return true;
    for (int i = 0; attributes[i].name; i++) {
        if (model->fixed[i].given)
            continue;
        strncat(known, attributes[i].name, sizeof(known) - strlen(known) - 1);
        strncat(known, ", ", sizeof(known) - strlen(known) - 1);
    }
    return status_fail(st, STATUS_INVALID,
                       "parameter '%.40s' is unknown to %s; known are "
                       "%sbinary_data_output, timeout%s",
                       key, model->name, known, advice);
}

static bool read_protocol(const struct model *model, const struct document *doc,
                          const struct tree_value *p,
                          struct request_parameters *settings,
                          struct status *st)
{
    int64_t timeout;

    if (!strcmp(p->key, "priority") ||
        (strncmp(p->key, "sequence_", 9) == 0 &&
         strcmp(p->key, model->op->control) != 0)) /* sequence_lens */
        return true;
    if (strcmp(p->key, "timeout") != 0)
        return pass_unknown(model, doc, p, st);
    if (!read_int(p, &timeout, st))
        return false;
    if (timeout < 0)
        return refuse(p, "0 or more microseconds", st);
    settings->timeout_us = (uint64_t)timeout;
    return true;
}

static bool read_parameter(const struct model *model,
                           const struct document *doc,
                           const struct tree_value *p,
                           struct request_parameters *settings,
                           struct status *st)
{
    int at;

    if (strcmp(p->key, "binary_data_output") == 0) {
        settings->binary_output = p->kind == TREE_BOOL && p->flag;
        return p->kind == TREE_BOOL || refuse(p, "a boolean", st);
    }
    at = op_attribute_find(model->op, p->key);
    if (at < 0)
        return read_protocol(model, doc, p, settings, st);
    if (model->fixed[at].given)
        return status_fail(st, STATUS_INVALID,
                           "%.40s is fixed by the model %s: leave it out",
                           p->key, model->name);
    return read_value(p, &model->op->attributes[at], &settings->values[at], st);
}

bool request_parameters_read(const struct model *model,
                             const struct document *doc,
                             struct request_parameters *settings,
                             struct status *st)
{
    const struct attribute *a = model->op->attributes;

    memset(settings->with_role, 0, sizeof(settings->with_role));
    settings->binary_output = false;
    settings->timeout_us = 0;
    for (int i = 0; a[i].name; i++) {
        settings->with_role[a[i].role] = (unsigned char)(i + 1);
        if (model->fixed[i].given)
            settings->values[i] = model->fixed[i];
        else
            settings->values[i] = (struct attribute_value){
                .integer = (int64_t)a[i].fallback,
                .number = a[i].fallback,
                .flag = a[i].fallback > 0,
            };
    }
    for (int i = 0; i < doc->parameter_count; i++)
        if (!read_parameter(model, doc, &doc->parameters[i], settings, st))
            return false;
    return true;
}

uint64_t request_parameters_timeout(const char *text, size_t len)
{
    const struct tree_text source = tree_infer(text, len);
    const struct tree_value *timeout = NULL;
    int64_t value = 0;
    struct tree tree;
    struct status st;

    tree_init(&tree, NULL, 0);
    if (len > 0 && tree_read(&tree, &source, &st))
        timeout = tree_get(tree_get(tree.root, "parameters"), "timeout");
    if (timeout && (!read_integer(timeout, &value) || value < 0))
        value = 0; /* the request is refused later */
    tree_free(&tree);
    return (uint64_t)value;
}
