/* The commas of a list of numbers: bit i of word w stands for byte 64 * w + i
 * of the list. The numbers are validated on the way, and the list may still be
 * arriving: each call continues where the one before it stopped. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/lex/grammar.h"
#include "api/lex/number_range.h"

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
