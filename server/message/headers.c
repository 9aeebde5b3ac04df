#include "server/message/headers.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "server/work/content_coding.h"

void request_line_open(struct request_line *line, const char *uri)
{
    const char *query = strchr(uri, '?');

    if (!query)
        return;
    line->query = strdup(query + 1);
    line->query_lost = !line->query;
    line->query_size = line->query ? strlen(query) : 0;
}

static const char *path_of(const char *url)
{
    const char *authority;

    if (*url == '/')
        return url;
    authority = strstr(url, "://");
    if (!authority)
        return url;
    authority += 3;
    authority += strcspn(authority, "/");
    return *authority ? authority : "/";
}

void request_line_read(struct request_line *line, const char *method,
                       const char *url)
{
    line->method = method;
    line->path = path_of(url);
}

void request_line_clear(struct request_line *line)
{
    free(line->query);
    *line = (struct request_line){.method = NULL};
}

/* Where further fields of a traceparent begin, and the length of version 00. */
enum { PARENT_ID = 36, FLAGS = 53, WHOLE = 55 };

static const char digits[] = "0123456789abcdef";

/* True if `len` lower-case hex digits stand here, and then the end or '-'. */
static bool is_field(const char *text, size_t len)
{
    return strspn(text, digits) == len && (!text[len] || text[len] == '-');
}

/* The same, and one of them is not 0. */
static bool is_id(const char *text, size_t len)
{
    return is_field(text, len) && strspn(text, "0") < len;
}

bool trace_context_is_valid(const char *text)
{
    return strnlen(text, WHOLE) == WHOLE && is_field(text, 2) &&
           memcmp(text, "ff", 2) != 0 &&
           is_id(text + TRACE_ID, TRACE_ID_DIGITS) &&
           is_id(text + PARENT_ID, PARENT_ID_DIGITS) &&
           is_field(text + FLAGS, 2) &&
           (!text[WHOLE] || memcmp(text, "00", 2) != 0);
}

struct name {
    const char *text;
    size_t len;
};

/* clang-format off */
#define NAME(text) {text, sizeof(text) - 1}
#define ROW(text, at, twice) {NAME(text), offsetof(struct headers, at), twice}
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
    ROW("Host", host, REFUSED),
    ROW("Accept", accept, EITHER),
    ROW("Expect", expect, REFUSED),
    ROW("Origin", origin, REFUSED),
    ROW("User-Agent", user_agent, EITHER),
    ROW("traceparent", traceparent, A_LIST),
    ROW("Content-Type", content_type, REFUSED),
    ROW("X-Request-Id", request_id, REFUSED),
    ROW("Accept-Encoding", accept_encoding, EITHER),
    ROW("Content-Encoding", content_encoding, A_LIST),
    ROW("Access-Control-Request-Method", cors_method, REFUSED),
    ROW("Access-Control-Request-Headers", cors_headers, REFUSED),
    ROW("Inference-Header-Content-Length", inference_header, REFUSED),
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
        value = "(several)";
    else if (*kept && header->twice == REFUSED)
        headers->twice = header->name.text;
    *kept = value;
}

static void read_one(void *context, const char *name, size_t name_len,
                     const char *value)
{
    struct headers *headers = context;

    if (is_named(name, name_len, &length))
        headers->content_length = strtoull(value, NULL, 10);
    else if (is_named(name, name_len, &transfer))
        headers->chunked = true;
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
}

static int refuse(const char *name, const char *value, const char *want,
                  int status, struct status *st)
{
    status_fail(st, STATUS_INVALID,
                "the header %s is '%.40s', but it must be %s", name, value,
                want);
    return status;
}

int headers_audit(const struct headers *headers, struct status *st)
{
    const char *coding = headers->content_encoding;
    enum content_coding ignored;

    if (headers->twice) {
        status_fail(st, STATUS_INVALID, "the header %s was given twice",
                    headers->twice);
        return 400;
    }
    if (headers->host && !is_host(headers->host))
        return refuse("Host", headers->host, "a host, and perhaps a port", 400,
                      st);
    if (headers->expect && strcasecmp(headers->expect, "100-continue") != 0)
        return refuse("Expect", headers->expect, "100-continue", 417, st);
    if (!content_coding_parse(coding, &ignored))
        return refuse("Content-Encoding", coding, "gzip, deflate or identity",
                      415, st);
    return 0;
}
