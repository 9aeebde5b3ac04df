#include "api/text_ahead.h"
#include "api/wide.h"

static text_ahead_fn wide_for(enum dtype dtype)
{
    const struct wide *wide = wide_best();

    switch (wide ? dtype_info(dtype)->kind : DTYPE_KIND_OPAQUE) {
    case DTYPE_KIND_INT:
    case DTYPE_KIND_UINT:
        return wide->integers;
    case DTYPE_KIND_FLOAT:
    case DTYPE_KIND_COMPLEX:
        return wide->floats;
    default:
        return NULL;
    }
}

/* Scanners pass over white space without asking for an end: they are given one
 * that is none. */
static const char *last_solid(const char *text, const char *end)
{
    while (end > text && scan_is_space(end[-1]))
        end--;
    return end - 1;
}

bool text_read_early(enum dtype dtype, const char *text, size_t len, size_t *at)
{
    const ptrdiff_t enough = 4 * (ptrdiff_t)WIDE_BLOCK;
    struct text_array a = {.text = text, .dtype = dtype};
    struct text_scan s = {.a = &a, .row = UINT64_MAX / 2};
    text_ahead_fn wide = wide_for(dtype);

    if (!wide)
        return false;
    s.at = text + *at;
    s.end = s.pause = last_solid(s.at, text + len);
    s.missing = s.row;
    if (s.end - s.at < WIDE_BLOCK)
        return true;
    text_scan_limits(&s);
    s.at = wide(&s, s.at);
    *at = (size_t)(s.at - text);
    return s.end - s.at < enough;
}
