#include "api/lex/scan.h"
#include "api/lex/simd.h"
#include "api/tensor_json/blockwise.h"

/* The vector functions for a datatype. */
struct early_functions {
    blockwise_fn validate;
    const char *(*measure)(struct token_stream *s, const char *text,
                           struct token_lengths *lengths);
};

/* False when there are none. */
static bool choose(enum dtype dtype, struct early_functions *functions)
{
    const struct json_simd *simd = json_simd_active();

    switch (dtype_info(dtype)->kind) {
    case DTYPE_KIND_INT:
    case DTYPE_KIND_UINT:
        *functions =
            (struct early_functions){simd->integers, simd->measure_integers};
        break;
    case DTYPE_KIND_FLOAT:
    case DTYPE_KIND_COMPLEX:
        *functions =
            (struct early_functions){simd->floats, simd->measure_floats};
        break;
    default:
        return false;
    }
    return functions->validate != NULL;
}

/* The last byte that is not white space. As the end of a stream it stops
 * scan_skip_space(), which knows no end. */
static const char *last_solid(const char *text, const char *end)
{
    while (end > text && scan_is_space(end[-1]))
        end--;
    return end - 1;
}

/* True if the text that is left is too short to tell why the scan stopped: more
 * text may let it go on. */
static bool is_used_up(const struct token_stream *s)
{
    const ptrdiff_t enough = 4 * (ptrdiff_t)JSON_SIMD_BLOCK;

    return s->end - s->at < enough;
}

bool tensor_json_read_early(enum dtype dtype, const char *text, size_t len,
                            size_t *at, struct token_lengths *lengths)
{
    const uint64_t endless = UINT64_MAX / 2; /* no row is ever complete */
    struct token_stream s = {
        .text = text,
        .at = text + *at,
        .index = {.row_tokens = endless, .tokens_left = endless}};
    struct early_functions functions;

    if (!choose(dtype, &functions))
        return false;
    s.end = s.next_cancel_check = last_solid(s.at, text + len);
    if (s.end - s.at < JSON_SIMD_BLOCK)
        return true;
    parser_range(&s.range, dtype);
    if (!lengths->done && lengths->capacity > JSON_SIMD_BLOCK)
        s.at = functions.measure(&s, s.at, lengths);
    if (!is_used_up(&s)) {
        lengths->done = true;
        s.at = functions.validate(&s, scan_skip_space(s.at));
    }
    *at = (size_t)(s.at - text);
    return is_used_up(&s);
}
