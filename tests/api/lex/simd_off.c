#include "tests/api/lex/simd_off.h"

#include "api/lex/brackets.h"
#include "api/lex/lengths_walk.h"

static uint64_t equal(const char *text, char byte)
{
    uint64_t mask = 0;

    for (int i = 0; i < JSON_SIMD_BLOCK; i++)
        mask |= (uint64_t)(text[i] == byte) << i;
    return mask;
}

static void integer_masks(const char *text, struct wide_masks *m)
{
    m->zero = equal(text, '0');
    m->minus = equal(text, '-');
    m->comma = equal(text, ',');
    for (int i = 0; i < JSON_SIMD_BLOCK; i++) {
        m->digit |= (uint64_t)scan_is_digit(text[i]) << i;
        m->space |= (uint64_t)scan_is_space(text[i]) << i;
    }
}

static void float_masks(const char *text, struct wide_masks *m)
{
    integer_masks(text, m);
    m->point = equal(text, '.');
    m->exponent = equal(text, 'e') | equal(text, 'E');
}

static uint64_t look_integers(struct wide_walk *w, struct wide_found *found)
{
    return wide_look_integers(w, found, integer_masks);
}

static uint64_t look_floats(struct wide_walk *w, struct wide_found *found)
{
    return wide_look_floats(w, found, float_masks);
}

static const char *integers(struct text_scan *s, const char *text)
{
    return wide_numbers(s, text, false, look_integers, wide_store_singles);
}

static const char *floats(struct text_scan *s, const char *text)
{
    return wide_numbers(s, text, true, look_floats, wide_store_singles);
}

static const char *note_integers(struct text_scan *s, const char *text,
                                 struct token_lengths *lengths)
{
    return wide_note(s, text, false, lengths, look_integers, NULL, wide_put);
}

static const char *note_floats(struct text_scan *s, const char *text,
                               struct token_lengths *lengths)
{
    return wide_note(s, text, true, lengths, look_floats, NULL, wide_put);
}

static uint64_t look_known(struct wide_walk *w, struct wide_found *found)
{
    struct wide_masks m = {0};

    integer_masks(w->at, &m);
    return wide_look_known(w, found, m.comma, m.space);
}

static const char *known(struct text_scan *s, const char *text)
{
    return wide_known(s, text, look_known, wide_store_singles);
}

static void list_masks(const char *text, struct wide_list_masks *m)
{
    m->open = equal(text, '[');
    m->close = equal(text, ']');
    m->quote = equal(text, '"');
}

static const char *lists(const char *text, const char *end, size_t *depth)
{
    return wide_lists(text, end, depth, list_masks);
}

static char *flatten(const char *from, const char *end, char *out)
{
    for (; from < end; from++)
        if (!scan_is_space(*from) && *from != '[' && *from != ']')
            *out++ = *from;
    return out;
}

const struct json_simd json_simd_emulated = {"plain",       integers,    floats,
                                             note_integers, note_floats, known,
                                             lists,         flatten};
