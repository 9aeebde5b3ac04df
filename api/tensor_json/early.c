#include "api/lex/simd.h"
#include "api/tensor_json/blockwise.h"

/* The scanners of a datatype. */
struct early {
    text_ahead_fn read;
    const char *(*note)(struct text_scan *s, const char *text,
                        struct token_lengths *lengths);
};

static bool choose(enum dtype dtype, struct early *early)
{
    const struct json_simd *simd = json_simd_active();

    switch (simd ? dtype_info(dtype)->kind : DTYPE_KIND_OPAQUE) {
    case DTYPE_KIND_INT:
    case DTYPE_KIND_UINT:
        *early = (struct early){simd->integers, simd->note_integers};
        return true;
    case DTYPE_KIND_FLOAT:
    case DTYPE_KIND_COMPLEX:
        *early = (struct early){simd->floats, simd->note_floats};
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
    const ptrdiff_t enough = 4 * (ptrdiff_t)JSON_SIMD_BLOCK;

    return s->end - s->at < enough;
}

bool tensor_json_read_early(enum dtype dtype, const char *text, size_t len,
                            size_t *at, struct token_lengths *lengths)
{
    struct data_array a = {.text = text, .dtype = dtype};
    struct text_scan s = {.a = &a, .row = UINT64_MAX / 2};
    struct early early;

    if (!choose(dtype, &early))
        return false;
    s.at = text + *at;
    s.end = s.pause = last_solid(s.at, text + len);
    s.missing = s.row;
    if (s.end - s.at < JSON_SIMD_BLOCK)
        return true;
    text_scan_limits(&s);
    if (!lengths->done && lengths->capacity > JSON_SIMD_BLOCK)
        s.at = early.note(&s, s.at, lengths);
    if (!is_dry(&s)) {
        lengths->done = true;
        s.at = early.read(&s, text_scan_space(s.at));
    }
    *at = (size_t)(s.at - text);
    return is_dry(&s);
}
