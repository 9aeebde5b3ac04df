#include "api/tensor_json/blockwise.h"

#include "api/lex/simd.h"

/* Or the end, when that is nearer. */
static const char *ahead(const struct text_scan *s, const char *text,
                         ptrdiff_t bytes)
{
    return s->end - text < bytes ? s->end : text + bytes;
}

const char *text_ahead_on(struct text_scan *s, text_ahead_fn simd,
                          const char *text, const char **wide_from)
{
    const ptrdiff_t span = 8 * (ptrdiff_t)JSON_SIMD_BLOCK;
    const char *behind;

    *wide_from = s->end;
    if (s->end - text < JSON_SIMD_BLOCK)
        return text;
    behind = s->known - text < JSON_SIMD_BLOCK
                 ? simd(s, text)
                 : json_simd_active()->known(s, text);
    /* One element stood in the way, or that was not far and many will. */
    *wide_from =
        behind - text < JSON_SIMD_BLOCK ? ahead(s, behind, span) : behind;
    return behind;
}

const char *text_ahead_start(struct text_scan *s, text_ahead_fn simd,
                             const char **wide_from)
{
    const unsigned left_alone = 15;
    const char *text = s->at;

    /* Where one list is shorter than a block, others are. */
    if (s->short_lists > 0) {
        s->short_lists--;
        *wide_from = ahead(s, text, 2 * (ptrdiff_t)JSON_SIMD_BLOCK);
        return text;
    }
    text = text_ahead_on(s, simd, text, wide_from);
    if (text - s->at < JSON_SIMD_BLOCK)
        s->short_lists = left_alone;
    return text;
}
