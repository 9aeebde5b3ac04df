/* Lengths of numbers with AVX-512, and a hot loop for common text: no white
 * space, no exponent, no leading 0. */
#include "api/lex/lengths_walk.h"
#include "api/lex/simd_avx512.h"
#include "api/lex/simd_isa.h"

/* The hot loop serves datatypes whose numbers below 10^SAFE are in range. A
 * number out of range then has more than SAFE digits before its point, so 16 or
 * more of them in one block, for which the loop stops. */
enum { SAFE = 32 };

/* Constants of the hot loop, kept in registers. A digit after a leading 0 shows
 * in three bytes: the digit, the 0, and before it a byte below '.', so a comma
 * or a
 * '-'. Adding `inside` to that byte sets SECOND from '.' on, and the top bit in
 * any case, which hides LEAD. */
struct common_bytes {
    __m512i kinds[2], followers[2]; /* tables of simd_avx512.h */
    __m512i inside, kind, high, point, comma;
};

LEX_INLINE __m512i table_of(const unsigned char *bytes)
{
    __m512i half = _mm512_loadu_si512(bytes);

    __asm__("" : "+v"(half));
    return half;
}

LEX_INLINE __m512i all(int byte)
{
    __m512i same = _mm512_set1_epi8((char)byte);

    /* Keeps the constant in a register; gcc 12 rebuilds it for each block. */
    __asm__("" : "+v"(same));
    return same;
}

/* Bytes that are not common. The constants are passed by value: under the
 * address sanitizer gcc 12 keeps a struct whose address is taken on a stack
 * that is not always aligned to 64 bytes. */
LEX_INLINE uint64_t find_rare(struct common_bytes u, const char *text,
                              __m512i block)
{
    __m512i kind = _mm512_permutex2var_epi8(u.kinds[0], block, u.kinds[1]);
    __m512i follower = _mm512_permutex2var_epi8(
        u.followers[0], _mm512_loadu_si512(text - 1), u.followers[1]);
    __m512i right = _mm512_and_si512(kind, follower);
    __m512i inside = _mm512_add_epi8(_mm512_loadu_si512(text - 2), u.inside);
    /* block | (right & ~inside) */
    __m512i high = _mm512_ternarylogic_epi32(block, inside, right, 0xF2);

    return _mm512_testn_epi8_mask(right, u.kind) |
           _mm512_test_epi8_mask(high, u.high);
}

/* Second points of a number, and the ends of 16 digits before a point. */
LEX_INLINE uint64_t find_rare_points(uint64_t commas, uint64_t points,
                                     uint64_t *fraction)
{
    uint64_t body = ~(points | commas);
    uint64_t sum = grammar_add_carry(points, body, fraction);
    uint64_t whole = sum & body;

    whole &= whole << 1;
    whole &= whole << 2;
    whole &= whole << 4;
    whole &= whole << 8;
    return (sum & points) | whole;
}

LEX_INLINE void store_lengths(unsigned char *lens, uint64_t commas,
                              int64_t last)
{
    __m512i at =
        _mm512_maskz_compress_epi8(commas, _mm512_loadu_si512(byte_indexes));
    __m512i before = _mm512_mask_expand_epi8(_mm512_set1_epi8((char)last),
                                             UINT64_MAX - 1, at);

    _mm512_storeu_si512(lens, _mm512_sub_epi8(at, before));
}

/* The carries before a block that follows a block of common text. */
LEX_INLINE void restore_carry(struct block_walk *w, uint64_t fraction)
{
    char last = w->at[-1];

    w->carry = (struct grammar_carry){
        .lead = last == '0' && (w->at[-2] == ',' || w->at[-2] == '-'),
        .fraction = fraction,
    };
}

LEX_INLINE void hot_loop(struct block_walk *w, struct lengths_out *out)
{
    const struct common_bytes u = {
        .kinds = {table_of(kinds), table_of(kinds + JSON_SIMD_BLOCK)},
        .followers = {table_of(followers),
                      table_of(followers + JSON_SIMD_BLOCK)},
        .inside = all(SECOND - '.' + 128),
        .kind = all(COMMON),
        .high = all(128 | SECOND),
        .point = all('.'),
        .comma = all(','),
    };
    const char *at = w->at;
    unsigned char *next_len = out->next;
    int64_t last = out->last;
    uint64_t fraction = w->carry.fraction;

    if (w->carry.power || w->s->range.safe_exponent < SAFE)
        return;
    for (;; at += JSON_SIMD_BLOCK) {
        __m512i block;
        uint64_t commas, points, next = fraction;

        if (at >= w->stop || next_len > out->full)
            break;
        block_prefetch(at);
        block = _mm512_loadu_si512(at);
        commas = _mm512_cmpeq_epi8_mask(block, u.comma);
        points = _mm512_cmpeq_epi8_mask(block, u.point);
        if (find_rare(u, at, block) | find_rare_points(commas, points, &next))
            break;
        if (commas == 0)
            break;
        fraction = next;
        store_lengths(next_len, commas, last);
        next_len += __builtin_popcountll(commas);
        last = -1 - __builtin_clzll(commas);
    }
    w->at = at;
    restore_carry(w, fraction);
    out->next = next_len;
    out->last = last;
}

const char *json_simd_avx512_measure_floats(struct token_stream *s,
                                            const char *text,
                                            struct token_lengths *lengths)
{
    struct block_walk w = lengths_walk_from(s, text, true);

    return lengths_walk(&w, lengths, classify_floats, hot_loop, store_lengths);
}

const char *json_simd_avx512_measure_integers(struct token_stream *s,
                                              const char *text,
                                              struct token_lengths *lengths)
{
    struct block_walk w = lengths_walk_from(s, text, false);

    return lengths_walk(&w, lengths, classify_integers, NULL, store_lengths);
}
