/* Notes of lists of numbers, and a quick look for most of them. */
#include "api/lex/lengths_walk.h"
#include "api/lex/simd_avx512.h"
#include "api/lex/simd_isa.h"

/* Where the limit is no lower than 10^SAFE, what is out of range has more
 * digits than that in front of its point: 16 in one block, which a quick look
 * sees. */
enum { SAFE = 32 };

/* Bytes as they are in most lists: no white space, no exponent, no 0 in front
 * of other digits. That is three bytes long: a digit, a 0, and in front of it
 * what is below '.', so that adding 18 leaves this bit alone. */
struct usual {
    __m512i kinds[2], followers[2]; /* the tables */
    __m512i inside, kind, high, point, comma, places;
};

WIDE_INLINE __m512i table_of(const unsigned char *bytes)
{
    __m512i half = _mm512_loadu_si512(bytes);

    __asm__("" : "+v"(half));
    return half;
}

WIDE_INLINE __m512i all(int byte)
{
    __m512i same = _mm512_set1_epi8((char)byte);

    /* Else gcc 12 makes the constant anew for each block. */
    __asm__("" : "+v"(same));
    return same;
}

/* The tables come by value: gcc 12 puts what has an address where the address
 * sanitizer wants it, which is not always on a line. */
WIDE_INLINE uint64_t find_unusual(struct usual u, const char *text,
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

/* Whether points stand where they may, at most one in a number, and not behind
 * long runs of digits. */
WIDE_INLINE uint64_t find_odd_points(uint64_t commas, uint64_t points,
                                     uint64_t *fraction)
{
    uint64_t body = ~(points | commas);
    uint64_t sum = wide_flood(points, body, fraction);
    uint64_t whole = sum & body;

    whole &= whole << 1;
    whole &= whole << 2;
    whole &= whole << 4;
    whole &= whole << 8;
    return (sum & points) | whole;
}

WIDE_INLINE void put(unsigned char *lengths, uint64_t commas, int64_t last)
{
    __m512i at =
        _mm512_maskz_compress_epi8(commas, _mm512_loadu_si512(counted));
    __m512i before = _mm512_mask_expand_epi8(_mm512_set1_epi8((char)last),
                                             UINT64_MAX - 1, at);

    _mm512_storeu_si512(lengths, _mm512_sub_epi8(at, before));
}

/* What the carries are in front of a block that follows a plain one. */
WIDE_INLINE void recall(struct wide_walk *w, uint64_t fraction)
{
    char last = w->at[-1];

    w->carry = (struct wide_carry){
        .lead = last == '0' && (w->at[-2] == ',' || w->at[-2] == '-'),
        .fraction = fraction,
    };
}

WIDE_INLINE void rush(struct wide_walk *w, struct wide_noted *noted)
{
    const struct usual u = {
        .kinds = {table_of(kinds), table_of(kinds + JSON_SIMD_BLOCK)},
        .followers = {table_of(followers),
                      table_of(followers + JSON_SIMD_BLOCK)},
        .inside = all(SECOND - '.' + 128),
        .kind = all(USUAL),
        .high = all(128 | SECOND),
        .point = all('.'),
        .comma = all(','),
    };
    const char *at = w->at;
    unsigned char *place = noted->place;
    int64_t last = noted->last;
    uint64_t fraction = w->carry.fraction;

    if (w->carry.power || w->s->safe_exponent < SAFE)
        return;
    for (;; at += JSON_SIMD_BLOCK) {
        __m512i block;
        uint64_t commas, points, next = fraction;

        if (at >= w->stop || place > noted->full)
            break;
        wide_foresee(at);
        block = _mm512_loadu_si512(at);
        commas = _mm512_cmpeq_epi8_mask(block, u.comma);
        points = _mm512_cmpeq_epi8_mask(block, u.point);
        if (find_unusual(u, at, block) | find_odd_points(commas, points, &next))
            break;
        if (commas == 0)
            break;
        fraction = next;
        put(place, commas, last);
        place += __builtin_popcountll(commas);
        last = -1 - __builtin_clzll(commas);
    }
    w->at = at;
    recall(w, fraction);
    noted->place = place;
    noted->last = last;
}

const char *wide_avx512_note_floats(struct text_scan *s, const char *text,
                                    struct token_lengths *lengths)
{
    return wide_note(s, text, true, lengths, look_floats, rush, put);
}

const char *wide_avx512_note_integers(struct text_scan *s, const char *text,
                                      struct token_lengths *lengths)
{
    return wide_note(s, text, false, lengths, look_integers, NULL, put);
}
