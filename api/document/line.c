#include "api/document/line.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_space(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* From the opening quote to the byte behind the closing one. */
static const char *skip_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1])
            at++;
    return *at ? at + 1 : at;
}

static const char *skip_value(const char *at)
{
    size_t depth = 0;

    do {
        if (*at == '"') {
            at = skip_string(at);
            continue;
        }
        depth += *at == '{' || *at == '[';
        depth -= (*at == '}' || *at == ']') && depth > 0;
        at++;
    } while (*at && (depth > 0 || !strchr(",]} \t\r\n", *at)));
    return at;
}

/* The value behind the one at `at`, or NULL at the end of the list. */
static const char *next(const char *at)
{
    at = skip_space(skip_value(at));
    return *at == ',' ? skip_space(at + 1) : NULL;
}

/* The key of this name in the object at `at`, or NULL. */
static const char *find_key(const char *at, const char *key, size_t len)
{
    if (*at != '{')
        return NULL;
    at = skip_space(at + 1);
    while (at && *at == '"') {
        const char *after = skip_string(at);

        if ((size_t)(after - at) == len + 2 && memcmp(at + 1, key, len) == 0)
            return at;
        at = skip_space(after);
        at = *at == ':' ? next(skip_space(at + 1)) : NULL;
    }
    return NULL;
}

static const char *value_of(const char *key)
{
    return skip_space(skip_space(skip_string(key)) + 1);
}

static const char *find_entry(const char *at, size_t index)
{
    if (*at != '[')
        return NULL;
    at = skip_space(at + 1);
    while (at && index-- > 0)
        at = next(at);
    return at && *at != ']' ? at : NULL;
}

/* One step down the path; removes that step from *path. */
static const char *descend(const char *at, const char **path)
{
    char *end;
    size_t len;

    if (**path == '[') {
        at = find_entry(at, strtoul(*path + 1, &end, 10));
        *path = *end ? end + 1 : end;
        return at;
    }
    *path += **path == '.';
    len = strcspn(*path, ".[");
    at = find_key(at, *path, len);
    *path += len;
    return at ? value_of(at) : NULL;
}

static size_t line_of(const char *text, const char *at)
{
    size_t line = 1;

    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

size_t line_of_value(const char *text, const char *path, const char *key)
{
    const char *at = skip_space(text);
    const char *found = at;

    while (found && *path) {
        found = descend(at, &path);
        at = found ? found : at;
    }
    if (found && key) {
        found = find_key(at, key, strlen(key));
        at = found ? found : at;
    }
    return line_of(text, at);
}
