#include "api/tensor_json/blockwise.h"

#include "api/lex/simd.h"

/* `bytes` after `text`, at most the end. */
static const char *advance(const struct token_stream *s, const char *text,
                           ptrdiff_t bytes)
{
    return s->end - text < bytes ? s->end : text + bytes;
}

const char *blockwise_resume(struct parser *p, blockwise_fn simd,
                             const char *text, const char **retry)
{
    const ptrdiff_t distance = 8 * (ptrdiff_t)JSON_SIMD_BLOCK;
    struct token_stream *s = &p->stream;
    const char *next;

    *retry = s->end;
    if (s->end - text < JSON_SIMD_BLOCK)
        return text;
    next = s->validated_end - text < JSON_SIMD_BLOCK
               ? simd(s, text)
               : json_simd_active()->validated(s, text);
    /* After a long advance one rare element was in the way: retry after it.
     * After a short one, more of them are likely. */
    *retry = next - text < JSON_SIMD_BLOCK ? advance(s, next, distance) : next;
    return next;
}

const char *blockwise_start(struct parser *p, blockwise_fn simd,
                            const char **retry)
{
    const unsigned skipped = 15;
    struct token_stream *s = &p->stream;
    const char *text = s->at;

    /* Where one list is shorter than a block, others are too. */
    if (p->short_lists > 0) {
        p->short_lists--;
        *retry = advance(s, text, 2 * (ptrdiff_t)JSON_SIMD_BLOCK);
        return text;
    }
    text = blockwise_resume(p, simd, text, retry);
    if (text - s->at < JSON_SIMD_BLOCK)
        p->short_lists = skipped;
    return text;
}
