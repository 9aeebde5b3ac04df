#include <immintrin.h>

#include "api/lex/brackets.h"
#include "api/lex/lengths_walk.h"
#include "api/lex/simd_isa.h"

struct block {
    __m256i low, high;
};

WIDE_INLINE struct block load(const char *text)
{
    return (struct block){
        _mm256_loadu_si256((const __m256i *)(const void *)text),
        _mm256_loadu_si256((const __m256i *)(const void *)(text + 32))};
}

WIDE_INLINE uint64_t join(__m256i low, __m256i high)
{
    return (uint32_t)_mm256_movemask_epi8(low) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

WIDE_INLINE uint64_t equal(struct block b, char byte)
{
    __m256i wanted = _mm256_set1_epi8(byte);

    return join(_mm256_cmpeq_epi8(b.low, wanted),
                _mm256_cmpeq_epi8(b.high, wanted));
}

WIDE_INLINE __m256i up_to_nine(__m256i half)
{
    __m256i value = _mm256_sub_epi8(half, _mm256_set1_epi8('0'));

    return _mm256_cmpeq_epi8(_mm256_min_epu8(value, _mm256_set1_epi8(9)),
                             value);
}

/* White space is what its own low half finds in the table. */
WIDE_INLINE __m256i blanks(__m256i half)
{
    __m256i table = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', '\t', '\n',
                      ' ', ' ', '\r', ' ', ' '));

    return _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, half), half);
}

WIDE_INLINE uint64_t spaces(struct block b)
{
    return join(blanks(b.low), blanks(b.high));
}

WIDE_INLINE uint64_t basics(struct block b, struct wide_masks *m)
{
    m->digit = join(up_to_nine(b.low), up_to_nine(b.high));
    m->zero = equal(b, '0');
    m->minus = equal(b, '-');
    m->comma = equal(b, ',');
    return ~(m->digit | m->minus | m->comma);
}

WIDE_INLINE void integer_masks(const char *text, struct wide_masks *m)
{
    struct block b = load(text);

    if (basics(b, m))
        m->space = spaces(b);
}

WIDE_INLINE void float_masks(const char *text, struct wide_masks *m)
{
    struct block b = load(text);
    uint64_t others = basics(b, m);

    m->point = equal(b, '.');
    if (others == m->point)
        return;
    m->space = spaces(b);
    if (others == (m->point | m->space))
        return;
    m->exponent = equal(b, 'e') | equal(b, 'E');
}

WIDE_INLINE uint64_t look_integers(struct wide_walk *w,
                                   struct wide_found *found)
{
    return wide_look_integers(w, found, integer_masks);
}

WIDE_INLINE uint64_t look_floats(struct wide_walk *w, struct wide_found *found)
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

WIDE_INLINE uint64_t look_known(struct wide_walk *w, struct wide_found *found)
{
    struct block b = load(w->at);

    return wide_look_known(w, found, equal(b, ','), spaces(b));
}

static const char *known(struct text_scan *s, const char *text)
{
    return wide_known(s, text, look_known, wide_store_singles);
}

WIDE_INLINE void list_masks(const char *text, struct wide_list_masks *m)
{
    struct block b = load(text);

    m->open = equal(b, '[');
    m->close = equal(b, ']');
    m->quote = equal(b, '"');
}

static const char *lists(const char *text, const char *end, size_t *depth)
{
    return wide_lists(text, end, depth, list_masks);
}

WIDE_INLINE __m256i brackets(__m256i half)
{
    return _mm256_or_si256(_mm256_cmpeq_epi8(half, _mm256_set1_epi8('[')),
                           _mm256_cmpeq_epi8(half, _mm256_set1_epi8(']')));
}

static char *flatten(const char *from, const char *end, char *out)
{
    enum { HALF = 32 };

    while (from < end) {
        __m256i half = _mm256_loadu_si256((const __m256i *)(const void *)from);
        uint32_t skip = (uint32_t)_mm256_movemask_epi8(
            _mm256_or_si256(blanks(half), brackets(half)));
        ptrdiff_t left = end - from < HALF ? end - from : HALF;
        ptrdiff_t len = 0;

        if (left < HALF)
            skip = _bzhi_u32(skip, (unsigned)left);
        /* Stretch by span, each copied blindly up to a full half. */
        for (; skip; skip &= skip - 1) {
            ptrdiff_t at = __builtin_ctz(skip);
            __m256i piece =
                _mm256_loadu_si256((const __m256i *)(const void *)(from + len));

            _mm256_storeu_si256((__m256i *)(void *)out, piece);
            out += at - len;
            len = at + 1;
        }
        half = _mm256_loadu_si256((const __m256i *)(const void *)(from + len));
        _mm256_storeu_si256((__m256i *)(void *)out, half);
        out += left - len;
        from += left;
    }
    return out;
}

const struct json_simd wide_avx2 = {"avx2",        integers,    floats,
                                    note_integers, note_floats, known,
                                    lists,         flatten};
