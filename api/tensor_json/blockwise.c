#include "api/tensor_json/blockwise.h"

#include "api/lex/comma_index.h"
#include "api/lex/simd.h"

enum { WINDOW = 256 }; /* blocks that are validated, then indexed: 16 KiB */

/* `bytes` after `text`, at most the end. */
static const char *advance(const struct token_stream *s, const char *text,
                           ptrdiff_t bytes)
{
    return s->end - text < bytes ? s->end : text + bytes;
}

/* Counts and indexes the tokens that end at `commas`. Returns the start of the
 * next one. */
static const char *index_tokens(struct token_stream *s,
                                const struct comma_index *commas)
{
    if (s->index.tokens_left == s->index.row_tokens)
        s->index.row_start = commas->first;
    s->tokens += json_simd_active()->rows(&s->index, s->text, commas);
    return scan_skip_space(s->text + commas->end);
}

static const char *read_windows(struct token_stream *s, const char *text)
{
    uint64_t words[WINDOW];
    struct comma_index commas = {.words = words, .capacity = WINDOW};

    do {
        comma_index_start(&commas, &s->range, (size_t)(text - s->text));
        comma_index_append(&commas, s->text, (size_t)(s->end - s->text));
        text = index_tokens(s, &commas);
    } while (!commas.stopped && commas.end > commas.first &&
             text < s->next_cancel_check);
    return text;
}

const char *blockwise_resume(struct parser *p, const char *text,
                             const char **retry)
{
    const ptrdiff_t distance = 8 * (ptrdiff_t)JSON_SIMD_BLOCK;
    struct token_stream *s = &p->stream;
    const char *next;

    *retry = s->end;
    if (s->end - text < JSON_SIMD_BLOCK)
        return text;
    next = read_windows(s, text);
    /* After a long advance one rare element was in the way: retry after it.
     * After a short one, more of them are likely. */
    *retry = next - text < JSON_SIMD_BLOCK ? advance(s, next, distance) : next;
    return next;
}

const char *blockwise_start(struct parser *p, const char **retry)
{
    const unsigned skipped = 15;
    const struct comma_index *commas = p->array->commas;
    struct token_stream *s = &p->stream;
    const char *text = s->at;

    if (commas && s->tokens == 0 && text == s->text + commas->first)
        return *retry = index_tokens(s, commas);
    /* Where one list is shorter than a block, others are too. */
    if (p->short_lists > 0) {
        p->short_lists--;
        *retry = advance(s, text, 2 * (ptrdiff_t)JSON_SIMD_BLOCK);
        return text;
    }
    text = blockwise_resume(p, text, retry);
    if (text - s->at < JSON_SIMD_BLOCK)
        p->short_lists = skipped;
    return text;
}
