#include "server/message/headers.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "server/message/trace_context.h"
#include "server/work/content_coding.h"

struct name {
    const char *text;
    size_t len;
};

/* clang-format off */
#define NAME(text) {text, sizeof(text) - 1}
/* clang-format on */

/* What a header means that is given twice. */
enum twice {
    REFUSED, /* headers_audit() says so */
    EITHER,  /* one of the two is kept */
    A_LIST,  /* a list, which is no valid value of this header */
};

/* The headers whose text is kept, the shortest names first. */
static const struct wanted {
    struct name name;
    size_t offset;
    enum twice twice;
} wanted[] = {
    {NAME("Host"), offsetof(struct headers, host), REFUSED},
    {NAME("Accept"), offsetof(struct headers, accept), EITHER},
    {NAME("Expect"), offsetof(struct headers, expect), REFUSED},
    {NAME("Origin"), offsetof(struct headers, origin), REFUSED},
    {NAME("User-Agent"), offsetof(struct headers, user_agent), EITHER},
    {NAME("traceparent"), offsetof(struct headers, traceparent), A_LIST},
    {NAME("Content-Type"), offsetof(struct headers, content_type), REFUSED},
    {NAME("X-Request-Id"), offsetof(struct headers, request_id), REFUSED},
    {NAME("Accept-Encoding"), offsetof(struct headers, accept_encoding),
     EITHER},
    {NAME("Content-Encoding"), offsetof(struct headers, content_encoding),
     A_LIST},
    {NAME("Access-Control-Request-Method"),
     offsetof(struct headers, cors_method), REFUSED},
    {NAME("Access-Control-Request-Headers"),
     offsetof(struct headers, cors_headers), REFUSED},
    {NAME("Inference-Header-Content-Length"),
     offsetof(struct headers, inference_header), REFUSED},
    {{NULL, SIZE_MAX}, 0, REFUSED},
};
static const struct name length = NAME("Content-Length");
static const struct name transfer = NAME("Transfer-Encoding");

/* Compares the lengths first: most names differ there. */
static bool is_named(const char *text, size_t len, const struct name *name)
{
    return len == name->len && strncasecmp(text, name->text, len) == 0;
}

bool headers_is_safe_id(const char *id)
{
    size_t len = 0;

    for (; id[len]; len++)
        if (len == 128 || id[len] < '!' || id[len] > '~')
            return false;
    return len > 0;
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

/* False for a character that no host and no port has (RFC 3986, 3.2.2). */
static bool is_host(const char *text)
{
    return text[strspn(text, LETTERS "-._~%!$&'()*+,;=:[]")] == '\0';
}

/* Names of headers, with commas: a preflight's list is sent back. */
static bool is_list_of_names(const char *text)
{
    return text[strspn(text, LETTERS "!#$%&'*+-.^_`|~, \t")] == '\0';
}

static void keep(struct headers *headers, const struct wanted *header,
                 const char *value)
{
    const char **kept =
        (const char **)(void *)((char *)headers + header->offset);

    if (*kept && header->twice == A_LIST)
        value = ",";
    else if (*kept && header->twice == REFUSED)
        headers->ambiguous = true;
    *kept = value;
}

static void read_one(void *context, const char *name, size_t name_len,
                     const char *value)
{
    struct headers *headers = context;

    if (is_named(name, name_len, &length)) {
        headers->has_length = true;
        headers->content_length = strtoull(value, NULL, 10);
    } else if (is_named(name, name_len, &transfer)) {
        headers->chunked = true;
    }
    for (const struct wanted *each = wanted; each->name.len <= name_len; each++)
        if (is_named(name, name_len, &each->name))
            keep(headers, each, value);
}

void headers_read(struct headers *headers, struct engine_connection *connection)
{
    *headers = (struct headers){.chunked = false};
    engine_each_header(connection, read_one, headers);
    if (headers->origin)
        headers->fetch_site = engine_find_header(connection, "Sec-Fetch-Site");
    if (headers->cors_headers && !is_list_of_names(headers->cors_headers))
        headers->cors_headers = NULL;
    if (headers->request_id && !headers_is_safe_id(headers->request_id))
        headers->request_id = NULL;
    if (headers->traceparent && !trace_context_is_valid(headers->traceparent))
        headers->traceparent = NULL;
}

bool headers_have_body(const struct headers *headers)
{
    return headers->chunked || headers->content_length > 0;
}

int headers_audit(const struct headers *headers, const char **text)
{
    enum content_coding coding;

    if (headers->ambiguous) {
        *text = "a header that may be given once was given twice";
        return 400;
    }
    if (headers->host && !is_host(headers->host)) {
        *text = "the header Host has a character that no host has";
        return 400;
    }
    if (headers->expect && strcasecmp(headers->expect, "100-continue") != 0) {
        *text = "the only expectation that can be met is 100-continue";
        return 417;
    }
    if (!content_coding_parse(headers->content_encoding, &coding)) {
        *text = "Content-Encoding must be one of gzip, deflate and identity";
        return 415;
    }
    return 0;
}
