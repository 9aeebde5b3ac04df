/* A request's timeout before anybody has read the request: only what stands
 * near the document's ends is looked at, where parameters are written. */
#include <stdlib.h>
#include <string.h>

#include "api/infer/infer.h"
#include "api/lex/scan.h"

enum {
    WINDOW = 8 << 10, /* bytes of either end; reading them takes microseconds */
    MOST_DIGITS = 18, /* that fit */
    IN_PARAMETERS = 2 /* levels: the document, its parameters */
};

static const char key[] = "\"timeout\"";
static const char parameters[] = "\"parameters\"";

struct window {
    const char *at, *end;
    int depth;      /* levels open at `at` */
    bool in_object; /* the one named parameters */
    uint64_t timeout_us;
};

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && scan_is_space(*at))
        at++;
    return at;
}

/* Digits up to one of `ends`, or a NUL; 0 when they are no such number. */
static uint64_t read_digits(const char *at, const char *end, const char *ends)
{
    const char *start = at;
    uint64_t value = 0;

    for (; at < end && scan_is_digit(*at) && at - start < MOST_DIGITS; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    return at < end && strchr(ends, *at) ? value : 0;
}

/* Behind a key: a number, or a string that holds one. */
static uint64_t read_value(const char *at, const char *end)
{
    at = skip_space(at, end);
    if (at == end || *at != ':')
        return 0;
    at = skip_space(at + 1, end);
    if (at < end && *at == '"')
        return read_digits(at + 1, end, "\"");
    return read_digits(at, end, " \t\r\n,}");
}

/* A quoted text is a key or a value; only a key has a colon behind it. */
static bool is(const char *text, const char *behind, const char *name)
{
    size_t len = strlen(name);

    return (size_t)(behind - text) == len && memcmp(text, name, len) == 0;
}

static bool pass_string(struct window *w)
{
    const char *behind = scan_string_end(w->at + 1, w->end);

    if (!behind)
        return false;
    if (w->depth == IN_PARAMETERS - 1)
        w->in_object = is(w->at, behind, parameters);
    else if (w->depth == IN_PARAMETERS && w->in_object &&
             is(w->at, behind, key) && w->timeout_us == 0)
        w->timeout_us = read_value(behind, w->end);
    w->at = behind;
    return true;
}

/* Goes through the window until the document or the window ends; whether the
 * document did. */
static bool pass_document(struct window *w)
{
    while (w->at < w->end) {
        char c = *w->at;

        if (c == '"') {
            if (!pass_string(w))
                return false;
            continue;
        }
        w->depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        w->at++;
        if (w->depth == 0 && (c == '}' || c == ']'))
            return skip_space(w->at, w->end) == w->end;
    }
    return false;
}

static uint64_t read_head(const char *text, size_t len)
{
    struct window w = {.at = text, .end = text + len};

    if (!memmem(text, len, key, sizeof(key) - 1))
        return 0;
    pass_document(&w);
    return w.timeout_us;
}

/* Inside a string its quotes would be escaped, so the text is a key's, or that
 * of an element. From the last of them on: if the document then ends where it
 * should, it was the document's. */
static uint64_t read_tail(const char *text, size_t len)
{
    const char *found = memmem(text, len, key, sizeof(key) - 1);
    struct window w = {.end = text + len, .depth = 1};
    const char *next = text;

    while (found && (next = memmem(next, (size_t)(found - next), parameters,
                                   sizeof(parameters) - 1)))
        w.at = next++;
    return w.at && pass_document(&w) ? w.timeout_us : 0;
}

static uint64_t read_query(const char *query)
{
    static const char name[] = "timeout=";

    while (query && strncmp(query, name, sizeof(name) - 1) != 0) {
        query = strchr(query, '&');
        query += query != NULL;
    }
    if (!query)
        return 0;
    query += sizeof(name) - 1;
    return read_digits(query, query + strlen(query) + 1, "&");
}

static size_t json_len(const struct api_request *request)
{
    unsigned long long len;

    if (!request->inference_header)
        return request->body_len;
    len = strtoull(request->inference_header, NULL, 10);
    return len < request->body_len ? (size_t)len : request->body_len;
}

uint64_t api_timeout(const struct api_request *request)
{
    const char *text = (const char *)request->body;
    size_t len = json_len(request);
    uint64_t timeout_us;

    if (infer_is_npy(request))
        return read_query(request->query);
    timeout_us = read_head(text, len < WINDOW ? len : WINDOW);
    if (timeout_us > 0 || len <= WINDOW)
        return timeout_us;
    return read_tail(text + len - WINDOW, WINDOW);
}
