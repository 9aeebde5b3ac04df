#include "api/wire/timeout.h"

#include <stdbool.h>
#include <string.h>

#include "api/lex/scan.h"

enum {
    WINDOW = 8 << 10, /* bytes at either end; reading them takes microseconds */
    MOST_DIGITS = 18, /* of a number that fits */
    IN_PARAMETERS = 2 /* levels: the document, its parameters */
};

static const char key[] = "\"timeout\"";
static const char parameters[] = "\"parameters\"";

struct window {
    const char *at, *end;
    int depth;          /* levels open at `at` */
    bool in_parameters; /* the open object of level 2 is "parameters" */
    uint64_t timeout_us;
};

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && scan_is_space(*at))
        at++;
    return at;
}

/* A number whose digits end at one of `ends`, or at a NUL; else 0. */
static uint64_t read_digits(const char *at, const char *end, const char *ends)
{
    const char *start = at;
    uint64_t value = 0;

    for (; at < end && scan_is_digit(*at) && at - start < MOST_DIGITS; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    return at < end && strchr(ends, *at) ? value : 0;
}

/* The value after a key: a number, or a string that holds one. */
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

/* Compares a quoted text. A value may equal a name too, but no colon follows
 * it.
 */
static bool equals(const char *text, const char *end, const char *name)
{
    size_t len = strlen(name);

    return (size_t)(end - text) == len && memcmp(text, name, len) == 0;
}

static bool pass_string(struct window *w)
{
    const char *after = scan_string_end(w->at + 1, w->end);

    if (!after)
        return false;
    if (w->depth == IN_PARAMETERS - 1)
        w->in_parameters = equals(w->at, after, parameters);
    else if (w->depth == IN_PARAMETERS && w->in_parameters &&
             equals(w->at, after, key) && w->timeout_us == 0)
        w->timeout_us = read_value(after, w->end);
    w->at = after;
    return true;
}

/* Reads until the document or the window ends. True if the document does, at
 * the window's end. */
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

/* Starts at the last "parameters" before the first "timeout". Inside a string
 * its quotes would be escaped, so it is a key or an element. If the document
 * then ends with the window, it was a key of the document. */
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

uint64_t timeout_of_query(const char *query)
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

uint64_t timeout_of_document(const char *text, size_t len)
{
    uint64_t timeout_us = read_head(text, len < WINDOW ? len : WINDOW);

    if (timeout_us > 0 || len <= WINDOW)
        return timeout_us;
    return read_tail(text + len - WINDOW, WINDOW);
}
