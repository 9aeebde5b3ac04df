#include "api/routes/near_route.h"

#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "kernels/core/edit_distance.h"

enum { NEAR = 2, MISSING = 2, FAR = 1000 }; /* letters */

/* How much a segment of a path differs from that of a pattern. A parameter
 * takes any segment but the empty one, and the end of the first version's
 * "/v1/models/x:predict". */
static int compare(const char *pattern, size_t pattern_len, const char *path,
                   size_t len)
{
    if (*pattern == '{')
        return len > 0 && !memchr(path, ':', len) ? 0 : FAR;
    if (len > pattern_len + NEAR || pattern_len > EDIT_DISTANCE_LONGEST)
        return FAR;
    return edit_distance(path, len, pattern, pattern_len);
}

/* Takes the next segment off; false at the end of the path. */
static bool next_segment(const char **at, const char **segment, size_t *len)
{
    if (**at != '/')
        return false;
    *segment = ++*at;
    *len = strcspn(*at, "/");
    *at += *len;
    return true;
}

/* The same in a path that was asked for. A base URL that ends with a slash
 * makes two of them: all but the last are skipped where no parameter is
 * `wanted`, for that may be what is missing there. Returns how many in
 * *skipped. */
static bool next_given(const char **at, const char *wanted,
                       const char **segment, size_t *len, int *skipped)
{
    *skipped = 0;
    for (; *wanted != '{' && (*at)[0] == '/' && (*at)[1] == '/'; ++*at)
        ++*skipped;
    return next_segment(at, segment, len);
}

static int difference(const char *pattern, const char *path)
{
    const char *wanted = "", *given;
    size_t wanted_len, given_len;
    int sum = 0, skipped;

    while (sum <= NEAR) {
        bool wants = next_segment(&pattern, &wanted, &wanted_len);
        bool has = next_given(&path, wanted, &given, &given_len, &skipped);
        bool ends = has && given_len == 0 && !*path; /* with a slash */

        sum += skipped;
        if (!wants && !has)
            return sum;
        if (wants && (!has || (ends && wanted_len > 0)))
            sum += *wanted == '{' ? FAR : MISSING;
        else if (wants)
            sum += compare(wanted, wanted_len, given, given_len);
        else
            sum += given_len > 0 ? FAR : 1;
    }
    return FAR;
}

static bool append(char *text, size_t size, const char *part, size_t len)
{
    size_t at = strlen(text);

    if (at + 1 + len >= size)
        return false;
    text[at] = '/';
    memcpy(text + at + 1, part, len);
    text[at + 1 + len] = '\0';
    return true;
}

static bool write_path(const char *pattern, const char *path, char *text,
                       size_t size)
{
    const char *wanted, *given = "";
    size_t wanted_len, given_len = 0;
    int skipped;

    *text = '\0';
    while (next_segment(&pattern, &wanted, &wanted_len)) {
        bool taken = next_given(&path, wanted, &given, &given_len, &skipped) &&
                     *wanted == '{';

        if (!append(text, size, taken ? given : wanted,
                    taken ? given_len : wanted_len))
            return false;
    }
    return true;
}

/* The first version's "/v1/models/x:predict" is an inference. */
static bool write_inference(const char *path, char *text, size_t size)
{
    static const char models[] = "/v1/models/";
    const char *name = path + sizeof(models) - 1;
    size_t len;
    int wanted;

    if (strncmp(path, models, sizeof(models) - 1) != 0)
        return false;
    len = strcspn(name, ":/");
    if (len == 0 || len > size || !strchr(name + len, ':'))
        return false;
    wanted = snprintf(text, size, "/v2/models/%.*s/infer", (int)len, name);
    return (size_t)wanted < size;
}

bool near_route(const char *path, char *text, size_t size)
{
    const char *pattern, *nearest = NULL, *allow;
    int least = NEAR + 1;

    for (size_t i = 0; (pattern = api_route_at(i, &allow)) != NULL; i++) {
        int differs = difference(pattern, path);

        if (differs >= least)
            continue;
        least = differs;
        nearest = pattern;
    }
    return write_inference(path, text, size) ||
           (nearest && 2 * (size_t)least < strlen(path) &&
            write_path(nearest, path, text, size));
}
