/* Numbers of a data array: one of them read byte by byte, the range of a
 * datatype, and the two indexes of a list, of its commas and of its rows. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/lex/scan.h"

#define LEX_INLINE static inline __attribute__((always_inline))

/* One number, read byte by byte: RFC 8259, section 6. simd_functions.h has the
 * same rules as arithmetic on masks. */
struct number_token {
    const char *end; /* the byte after it, or the one that is wrong */
    const char *why; /* what is wrong with it; NULL: nothing */
    size_t whole;    /* digits before the point */
    bool fraction;
    const char *exponent; /* the byte after the 'e'; NULL: there is none */
};

/* The byte after the digits at `text`; the text ends at `end`, with a byte that
 * is no digit. */
LEX_INLINE const char *number_token_digits(const char *text, const char *end)
{
    while (end - text >= SCAN_BLOCK) {
        uint64_t mask = scan_other_than_digits(scan_load(text));

        if (mask)
            return text + scan_first(mask);
        text += SCAN_BLOCK;
    }
    while (scan_is_digit(*text))
        text++;
    return text;
}

/* Reads one or more digits; false when there is none. */
LEX_INLINE bool number_token_part(struct number_token *t, const char *text,
                                  const char *end)
{
    t->end = text;
    if (!scan_is_digit(*text)) {
        t->why = "a digit is expected";
        return false;
    }
    /* Most numbers have one digit before the point. */
    t->end =
        scan_is_digit(text[1]) ? number_token_digits(text + 2, end) : text + 1;
    return true;
}

/* Reads the number at `text`. The text ends at `end`, with a byte that is part
 * of no number. */
LEX_INLINE struct number_token number_token_read(const char *text,
                                                 const char *end)
{
    struct number_token t = {.why = NULL};

    text += *text == '-';
    if (!number_token_part(&t, text, end))
        return t;
    t.whole = (size_t)(t.end - text);
    if (*text == '0' && t.whole > 1) {
        t.end = text;
        t.why = "a number has a leading zero";
        return t;
    }
    t.fraction = *t.end == '.';
    if (t.fraction && !number_token_part(&t, t.end + 1, end))
        return t;
    if ((*t.end | 0x20) == 'e') {
        text = t.exponent = t.end + 1;
        number_token_part(&t, text + (*text == '-' || *text == '+'), end);
    }
    return t;
}

/* Shifts that find runs of a given length, 1 to 32, by doubling. */
struct grammar_run {
    unsigned char shifts[5];
};

/* A limit of at most 16 decimal digits as ASCII, the most significant digit in
 * the highest byte, zero bytes before it. Texts of equal length compare as
 * these integers do. */
struct limit_text {
    uint64_t high, low;
};

struct number_range {
    /* The largest magnitude of a positive and of a negative integer; 0: floats.
     */
    uint64_t most, least;
    struct limit_text most_text, least_text;
    /* Integers of at most so many digits are in range. */
    size_t safe_digits, safe_negative_digits;
    /* Floats: every number below 10^safe_exponent is in range. */
    size_t safe_exponent;
    /* A number that may be out of range has such a run of digits: all of them,
     * or half of those before the point of a float. */
    struct grammar_run suspect;
};

/* `safe_exponent` is above 0 for floats, `most` for integers; `least` is the
 * magnitude of the least value, of as many digits, or 0. */
void number_range_init(struct number_range *range, uint64_t most,
                       uint64_t least, size_t safe_exponent);

/* True if an integer is in range. `token` has passed the grammar. */
bool number_range_holds(const struct number_range *range, const char *token,
                        size_t len);

/* State at the last byte of the block before: 0 or 1 each, except `digits`. */
struct grammar_carry {
    uint64_t token, digit, exponent;
    uint64_t lead;            /* a 0 after no digit */
    uint64_t fraction, power; /* the number had a point, an exponent */
    uint64_t digits;          /* the digit mask of the whole block before */
};

/* The commas of a list of numbers: bit i of word w stands for byte 64 * w + i
 * of the list. The numbers are validated on the way, and the list may still be
 * arriving: each call continues where the one before it stopped. */
struct comma_index {
    const struct number_range *range; /* borrowed: of the numbers' datatype */
    uint64_t *words;                  /* borrowed; NULL while capacity is 0 */
    size_t capacity;                  /* words; the caller may raise it */
    size_t count;                     /* words in use */
    size_t first;    /* offset of the first number in the array's text */
    size_t end;      /* offset after the last comma; `first`: there is none */
    bool stopped;    /* the next number cannot be read in blocks */
    bool has_spaces; /* white space may follow commas */
    struct grammar_carry carry; /* between blocks */
};

/* Starts the index of a list whose first number stands at offset `first` of an
 * array, in index->words. Numbers of `range` are accepted. */
void comma_index_start(struct comma_index *index,
                       const struct number_range *range, size_t first);

/* Adds the whole blocks in the first `len` bytes of the array `text`, as far as
 * there is capacity and each number is valid and common. The array may have
 * been moved since the last call. */
void comma_index_append(struct comma_index *index, const char *text,
                        size_t len);

/* A row of elements in its source: a piece of a text or of a BYTES tensor that
 * moves as a whole. 8 bytes, so that move_swap() moves rows as 64-bit elements.
 */
struct span {
    uint32_t start; /* offset of the first byte of the first element */
    uint32_t len;   /* bytes up to the end of the last element */
};

/* Rows that a full index still has memory for: vector code stores several at
 * once, most of them past the last real one. */
enum { ROW_INDEX_TAILROOM = 64 };

/* The place of each row of `row_tokens` tokens in the text. */
struct row_index {
    struct span *rows;    /* borrowed; NULL when `capacity` is 0 */
    uint64_t capacity;    /* rows past it are counted as tokens, not stored */
    uint64_t count;       /* rows stored */
    uint64_t row_tokens;  /* tokens in a row */
    uint64_t tokens_left; /* until the row being read is complete */
    size_t row_start;     /* offset of its first token, or of space before it */

    /* Called before another row is stored when `count` has reached `full`; it
     * removes `full` rows from the index. Never called when `full` is 0. */
    void (*on_full)(struct row_index *index);
    uint64_t full;
    void *owner; /* borrowed; for on_full() */
};

/* To be called before each row is stored, not as soon as the index is full: an
 * error after the last row of the index is diagnosed by reading its last
 * element once more, so that text must still stand. */
static inline void row_index_reserve(struct row_index *index)
{
    if (index->full > 0 && index->count >= index->full)
        index->on_full(index);
}

/* Ends the row being read before offset `end` of the array `text`. */
static inline void row_index_end(struct row_index *index, const char *text,
                                 size_t end)
{
    size_t start = (size_t)(scan_skip_space(text + index->row_start) - text);

    index->tokens_left = index->row_tokens;
    index->row_start = end + 1;
    row_index_reserve(index);
    if (index->count < index->capacity)
        index->rows[index->count++] =
            (struct span){(uint32_t)start, (uint32_t)(end - start)};
}
