#include <check.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tests/api/ask.h"

void assert_answer_body(struct answer a, int status, const char *body)
{
    ck_assert_msg(a.status == status, "%d %s", a.status, a.body);
    ck_assert_str_eq(a.body, body);
    ck_assert_uint_eq(a.len, strlen(body));
    answer_free(&a);
}

/* Each of `parts`, separated by '|', is in `text`. */
static void check_parts(const char *text, const char *parts)
{
    char part[256];

    for (size_t len; *parts; parts += len + (parts[len] == '|')) {
        len = strcspn(parts, "|");
        ck_assert_uint_lt(len, sizeof(part));
        snprintf(part, sizeof(part), "%.*s", (int)len, parts);
        ck_assert_msg(strstr(text, part), "no \"%s\" in: %s", part, text);
    }
}

void assert_answer_refused(struct answer a, int status, ...)
{
    json_t *body = json_loadb(a.body, a.len, JSON_ALLOW_NUL, NULL);
    const char *text = json_string_value(json_object_get(body, "error"));
    const char *part;
    va_list parts;

    ck_assert_msg(a.status == status && text, "%d %s", a.status, a.body);
    va_start(parts, status);
    while ((part = va_arg(parts, const char *)))
        check_parts(text, part);
    va_end(parts);
    json_decref(body);
    answer_free(&a);
}

void assert_refusal(const struct refusal *r)
{
    assert_answer_refused(ask_json(r->model, r->json), r->status, r->parts,
                          NULL);
}

void assert_answer_data(struct answer a, const char *data)
{
    const char *start = strstr(a.body, ",\"data\":");
    size_t len = strlen(data);

    ck_assert_msg(a.status == 200 && start, "%d %s", a.status, a.body);
    ck_assert_str_eq(a.content_type, "application/json");
    ck_assert_uint_eq(a.json_len, 0);
    start += strlen(",\"data\":");
    ck_assert_msg(strlen(start) == len + 3 && memcmp(start, data, len) == 0 &&
                      strcmp(start + len, "}]}") == 0,
                  "%s in place of %s", start, data);
    answer_free(&a);
}

void assert_answer_bytes(struct answer a, const void *bytes, size_t len)
{
    char size[64];

    ck_assert_msg(a.status == 200, "%d %s", a.status, a.body);
    snprintf(size, sizeof(size), "\"parameters\":{\"binary_data_size\":%zu}}]}",
             len);
    ck_assert_msg(strstr(a.body, size), "no %s in: %s", size, a.body);
    ck_assert_str_eq(a.content_type,
                     len ? "application/octet-stream" : "application/json");
    if (len > 0)
        ck_assert_uint_eq(a.json_len + len, a.len);
    else
        ck_assert_uint_eq(a.json_len, 0);
    ck_assert_int_eq(memcmp(a.body + a.len - len, bytes, len), 0);
    answer_free(&a);
}
