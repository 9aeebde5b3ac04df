/* One scan of one data array: what the text modules share, private to them.
 *
 * text_scan_init() makes sure that the text ends with ']', which is part of no
 * number and no word: scanners of those look at the next byte without asking
 * whether there is one. Only inside strings they need `end`. */
#pragma once

#include "api/lex/scan.h"
#include "api/tensor_json/tensor_json.h"

/* The last 16 digits of a limit as text, the first of them in the highest
 * bits, 0 in front: limits of as many digits compare as their texts do. */
struct text_limit {
    uint64_t high, low;
};

struct text_scan {
    const struct data_array *a; /* borrowed */
    const char *at;             /* the next byte */
    const char *end;
    const char *known; /* up to here all is right: no further checks */
    const char *pause; /* where `cancel` is looked at next */
    const atomic_bool *cancel;
    struct status *st;
    uint64_t tokens;      /* read so far */
    uint64_t token_limit; /* that the shape holds */
    unsigned per_element; /* tokens: 2 for COMPLEX */

    /* Integers: the greatest magnitudes on both sides of 0, and the number of
     * digits below which nothing needs to be compared. */
    uint64_t most, least;
    size_t safe_digits, safe_negative_digits;
    struct text_limit most_text, least_text;
    /* Floats: all below 10^safe_exponent are in range. */
    size_t safe_exponent;

    struct span *rows; /* where tensor_json_index() puts them */
    uint64_t row_limit, row_count;
    uint64_t row;     /* tokens in one */
    uint64_t missing; /* tokens until the row at hand is full */
    const char *row_start;
    uint64_t turn; /* rows behind which text_scan_turn() is due; 0: never */
    struct text_turns *turns; /* borrowed; tensor_json_move()'s */
    unsigned short_lists;     /* that need not be tried in blocks */
    /* What of the first list has been dealt with. */
    size_t passed; /* bytes, up to an element */
    uint64_t passed_tokens;

    /* What tensor_json_to_binary() does with token number s->tokens, which is
     * below token_limit. */
    void (*put)(const struct text_scan *s, const char *token, size_t len);
    unsigned char *out;
    unsigned bits; /* a token's, in the binary form */
};

/* Fails when the datatype has no text form or the text is no array. */
bool text_scan_init(struct text_scan *s, const struct data_array *a,
                    const atomic_bool *cancel, struct status *st);

/* What is known of a->dtype. */
void text_scan_limits(struct text_scan *s);

/* Where rows of `row` elements go, and how many at most. */
void text_scan_rows(struct text_scan *s, struct span *rows, uint64_t row,
                    uint64_t limit);

/* Moves `turn` rows on to the answer, which may then lie where they did, and
 * those behind them, and one more, to the front. */
void text_scan_turn(struct text_scan *s);

/* To be called in front of each further row, not as soon as a turn is full: an
 * error may still have to read the last element. */
static inline void text_scan_make_room(struct text_scan *s)
{
    if (s->turn > 0 && s->row_count >= s->turn)
        text_scan_turn(s);
}

/* To be called when `at` has reached s->pause; fails with CANCELLED. */
bool text_scan_pause(struct text_scan *s, const char *at);

/* Exactly whether a number that the grammar has accepted is in range. */
bool text_scan_in_range(const struct text_scan *s, const char *token,
                        size_t len);

/* The first byte that is no white space; there is one. */
static inline const char *text_scan_space(const char *text)
{
    while (scan_is_space(*text))
        text++;
    return text;
}

/* Reads elements and commas from s->at, where one element starts, up to the ']'
 * behind them, where it leaves s->at. One for each kind of datatype. */
typedef bool (*text_run_fn)(struct text_scan *s);

text_run_fn text_run_index(enum dtype dtype);
text_run_fn text_run_convert(enum dtype dtype);

/* Reads the whole array, checks nesting and count. */
bool text_walk(struct text_scan *s, text_run_fn run);
