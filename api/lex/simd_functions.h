/* The functions of struct json_simd, written once. The file of an instruction
 * set includes this header after block.h, and defines its table with
 * JSON_SIMD_FUNCTIONS. One whose blocks are no vectors of the compiler brings
 * struct block and block_load(), block_equal(), block_digits(), block_spaces()
 * and block_blanks() (the bytes up to ' ': in valid text, white space), whose
 * bit i stands for byte i.
 *
 * An instruction set that can compress defines BLOCK_HAS_COMPRESS and
 * BLOCK_HAS_STORE_ROWS, and brings block_compress(out, block, keep), which may
 * write a whole block, and block_store_rows(). */
#pragma once

#include "api/lex/simd_numbers.h"

/* Counts the brackets of one block; false when the last open one closes in it,
 * *depth is then unchanged. */
static inline bool count_brackets(uint64_t opening, uint64_t closing,
                                  size_t *depth)
{
    uint64_t both = opening | closing;
    size_t open = *depth;

    for (; both; both &= both - 1) {
        open += opening & both & -both ? 1 : SIZE_MAX;
        if (open == 0)
            return false;
    }
    *depth = open;
    return true;
}

static const char *lists(const char *text, const char *end, size_t *depth)
{
    for (; end - text >= JSON_SIMD_BLOCK; text += JSON_SIMD_BLOCK) {
        struct block b = block_load(text);
        uint64_t opening = block_equal(b, '['), closing = block_equal(b, ']');

        prefetch_page(text);
        if (block_equal(b, '"'))
            break;
        if ((opening | closing) && !count_brackets(opening, closing, depth))
            break;
    }
    return text;
}

#ifdef BLOCK_HAS_COMPRESS
LEX_INLINE void copy_pieces(char *out, const char *from, size_t len,
                            uint64_t skip)
{
    (void)len;
    block_compress(out, block_load(from), ~skip);
}
#else
/* Copies the pieces between skipped bytes as 32 bytes, or as two times 32; the
 * surplus of one is overwritten by the next. */
LEX_INLINE void copy_pieces(char *out, const char *from, size_t len,
                            uint64_t skip)
{
    enum { PIECE = 32 };
    size_t at = 0, next;

    do {
        next = skip ? (size_t)__builtin_ctzll(skip) : len;
        memcpy(out, from + at, PIECE);
        if (next - at > PIECE)
            memcpy(out + PIECE, from + at + PIECE, PIECE);
        out += next - at;
        at = next + 1;
        skip &= skip - 1;
    } while (next < len);
}
#endif

static char *flatten(const char *from, const char *end, char *out)
{
    while (from < end) {
        struct block b = block_load(from);
        uint64_t skip =
            block_blanks(b) | block_equal(b, '[') | block_equal(b, ']');
        size_t len = (size_t)(end - from);

        if (len > JSON_SIMD_BLOCK)
            len = JSON_SIMD_BLOCK;
        else if (len < JSON_SIMD_BLOCK)
            skip &= (UINT64_C(1) << len) - 1;
        copy_pieces(out, from, len, skip);
        out += len - (size_t)__builtin_popcountll(skip);
        from += len;
    }
    return out;
}

#define JSON_SIMD_FUNCTIONS                                                    \
    .numbers = numbers, .rows = rows, .lists = lists, .flatten = flatten
