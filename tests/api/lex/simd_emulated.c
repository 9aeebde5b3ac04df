#include "tests/api/lex/simd_emulated.h"

#include "api/lex/block_walk.h"
#include "api/lex/brackets.h"
#include "api/lex/lengths_walk.h"

static uint64_t equal(const char *text, char byte)
{
    uint64_t mask = 0;

    for (int i = 0; i < JSON_SIMD_BLOCK; i++)
        mask |= (uint64_t)(text[i] == byte) << i;
    return mask;
}

static void integer_masks(const char *text, struct grammar_masks *m)
{
    m->zero = equal(text, '0');
    m->minus = equal(text, '-');
    m->comma = equal(text, ',');
    for (int i = 0; i < JSON_SIMD_BLOCK; i++) {
        m->digit |= (uint64_t)scan_is_digit(text[i]) << i;
        m->space |= (uint64_t)scan_is_space(text[i]) << i;
    }
}

static void float_masks(const char *text, struct grammar_masks *m)
{
    integer_masks(text, m);
    m->point = equal(text, '.');
    m->exponent = equal(text, 'e') | equal(text, 'E');
}

static uint64_t classify_integers(struct block_walk *w,
                                  struct block_tokens *found)
{
    return block_classify_integers(w, found, integer_masks);
}

static uint64_t classify_floats(struct block_walk *w,
                                struct block_tokens *found)
{
    return block_classify_floats(w, found, float_masks);
}

static const char *integers(struct token_stream *s, const char *text)
{
    return block_walk_numbers(s, text, false, classify_integers,
                              block_store_rows);
}

static const char *floats(struct token_stream *s, const char *text)
{
    return block_walk_numbers(s, text, true, classify_floats, block_store_rows);
}

static const char *measure_integers(struct token_stream *s, const char *text,
                                    struct token_lengths *lengths)
{
    struct block_walk w = lengths_walk_from(s, text, false);

    return lengths_walk(&w, lengths, classify_integers, NULL, lengths_store);
}

static const char *measure_floats(struct token_stream *s, const char *text,
                                  struct token_lengths *lengths)
{
    struct block_walk w = lengths_walk_from(s, text, true);

    return lengths_walk(&w, lengths, classify_floats, NULL, lengths_store);
}

static uint64_t classify_validated(struct block_walk *w,
                                   struct block_tokens *found)
{
    struct grammar_masks m = {0};

    integer_masks(w->at, &m);
    return block_classify_validated(w, found, m.comma, m.space);
}

static const char *validated(struct token_stream *s, const char *text)
{
    return block_walk_validated(s, text, classify_validated, block_store_rows);
}

static void list_masks(const char *text, struct brackets_masks *m)
{
    m->open = equal(text, '[');
    m->close = equal(text, ']');
    m->quote = equal(text, '"');
}

static const char *lists(const char *text, const char *end, size_t *depth)
{
    return brackets_skip(text, end, depth, list_masks);
}

static char *flatten(const char *from, const char *end, char *out)
{
    for (; from < end; from++)
        if (!scan_is_space(*from) && *from != '[' && *from != ']')
            *out++ = *from;
    return out;
}

const struct json_simd json_simd_emulated = {
    "plain",        integers,  floats, measure_integers,
    measure_floats, validated, lists,  flatten};
