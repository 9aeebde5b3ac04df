/* JSON with AVX2: a block of 64 bytes is two registers. */
#include <immintrin.h>

#include "api/lex/block_walk.h"
#include "api/lex/brackets.h"
#include "api/lex/lengths_walk.h"
#include "api/lex/simd_isa.h"

struct block {
    __m256i low, high;
};

LEX_INLINE struct block load(const char *text)
{
    return (struct block){
        _mm256_loadu_si256((const __m256i *)(const void *)text),
        _mm256_loadu_si256((const __m256i *)(const void *)(text + 32))};
}

LEX_INLINE uint64_t join(__m256i low, __m256i high)
{
    return (uint32_t)_mm256_movemask_epi8(low) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

LEX_INLINE uint64_t equal(struct block b, char byte)
{
    __m256i wanted = _mm256_set1_epi8(byte);

    return join(_mm256_cmpeq_epi8(b.low, wanted),
                _mm256_cmpeq_epi8(b.high, wanted));
}

LEX_INLINE __m256i up_to_nine(__m256i half)
{
    __m256i value = _mm256_sub_epi8(half, _mm256_set1_epi8('0'));

    return _mm256_cmpeq_epi8(_mm256_min_epu8(value, _mm256_set1_epi8(9)),
                             value);
}

/* A byte is white space if looking up its low four bits in the table gives the
 * byte itself. */
LEX_INLINE __m256i blanks(__m256i half)
{
    __m256i table = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', '\t', '\n',
                      ' ', ' ', '\r', ' ', ' '));

    return _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, half), half);
}

LEX_INLINE uint64_t spaces(struct block b)
{
    return join(blanks(b.low), blanks(b.high));
}

LEX_INLINE uint64_t common_masks(struct block b, struct grammar_masks *m)
{
    m->digit = join(up_to_nine(b.low), up_to_nine(b.high));
    m->zero = equal(b, '0');
    m->minus = equal(b, '-');
    m->comma = equal(b, ',');
    return ~(m->digit | m->minus | m->comma);
}

LEX_INLINE void integer_masks(const char *text, struct grammar_masks *m)
{
    struct block b = load(text);

    if (common_masks(b, m))
        m->space = spaces(b);
}

LEX_INLINE void float_masks(const char *text, struct grammar_masks *m)
{
    struct block b = load(text);
    uint64_t others = common_masks(b, m);

    m->point = equal(b, '.');
    if (others == m->point)
        return;
    m->space = spaces(b);
    if (others == (m->point | m->space))
        return;
    m->exponent = equal(b, 'e') | equal(b, 'E');
}

LEX_INLINE uint64_t classify_integers(struct block_walk *w,
                                      struct block_tokens *found)
{
    return block_classify_integers(w, found, integer_masks);
}

LEX_INLINE uint64_t classify_floats(struct block_walk *w,
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

LEX_INLINE uint64_t classify_validated(struct block_walk *w,
                                       struct block_tokens *found)
{
    struct block b = load(w->at);

    return block_classify_validated(w, found, equal(b, ','), spaces(b));
}

static const char *validated(struct token_stream *s, const char *text)
{
    return block_walk_validated(s, text, classify_validated, block_store_rows);
}

LEX_INLINE void list_masks(const char *text, struct brackets_masks *m)
{
    struct block b = load(text);

    m->open = equal(b, '[');
    m->close = equal(b, ']');
    m->quote = equal(b, '"');
}

static const char *lists(const char *text, const char *end, size_t *depth)
{
    return brackets_skip(text, end, depth, list_masks);
}

LEX_INLINE __m256i brackets(__m256i half)
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
        /* Each piece between skipped bytes is copied as 32 bytes; the next
         * piece overwrites the surplus. */
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

const struct json_simd json_simd_avx2 = {
    "avx2",         integers,  floats, measure_integers,
    measure_floats, validated, lists,  flatten};
