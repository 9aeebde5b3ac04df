#include "api/lex/simd.h"
#include "api/tensor_json/blockwise.h"

/* The scanners of a datatype. */
struct early {
    text_ahead_fn read;
    const char *(*note)(struct text_scan *s, const char *text,
                        struct text_notes *notes);
};

static bool choose(enum dtype dtype, struct early *early)
{
    const struct wide *wide = wide_best();

    switch (wide ? dtype_info(dtype)->kind : DTYPE_KIND_OPAQUE) {
    case DTYPE_KIND_INT:
    case DTYPE_KIND_UINT:
        *early = (struct early){wide->integers, wide->note_integers};
        return true;
    case DTYPE_KIND_FLOAT:
    case DTYPE_KIND_COMPLEX:
        *early = (struct early){wide->floats, wide->note_floats};
        return true;
    default:
        return false;
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

/* Whether the rest is too short to go on, or there is more to come. */
static bool is_dry(const struct text_scan *s)
{
    const ptrdiff_t enough = 4 * (ptrdiff_t)WIDE_BLOCK;

    return s->end - s->at < enough;
}

bool text_read_early(enum dtype dtype, const char *text, size_t len, size_t *at,
                     struct text_notes *notes)
{
    struct text_array a = {.text = text, .dtype = dtype};
    struct text_scan s = {.a = &a, .row = UINT64_MAX / 2};
    struct early early;

    if (!choose(dtype, &early))
        return false;
    s.at = text + *at;
    s.end = s.pause = last_solid(s.at, text + len);
    s.missing = s.row;
    if (s.end - s.at < WIDE_BLOCK)
        return true;
    text_scan_limits(&s);
    if (!notes->over && notes->room > WIDE_BLOCK)
        s.at = early.note(&s, s.at, notes);
    if (!is_dry(&s)) {
        notes->over = true;
        s.at = early.read(&s, text_scan_space(s.at));
    }
    *at = (size_t)(s.at - text);
    return is_dry(&s);
}
