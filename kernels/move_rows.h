/* Stretches of rows, and the loops that move them: the one place where bytes
 * change places. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Rows at two places, a and b, each walked with its own step, and the same
 * again `planes` times. All figures but the counts are in units: bytes here,
 * elements in move_bits.h. Row i of one side and row j of the other never
 * overlap. */
struct move_rows {
    size_t a, b;              /* of the first row */
    ptrdiff_t a_step, b_step; /* from one row to the next; may be negative */
    size_t count;             /* rows, >= 1 */
    size_t size;              /* of a row, >= 1 */
    size_t planes;            /* >= 1 */
    size_t plane_step;        /* from one plane to the next, on both sides */
};

/* The loops in one instruction set. No alignment is needed anywhere. */
struct move_code {
    const char *name;

    /* Exchanges the rows at a and at b. */
    void (*swap)(unsigned char *data, const struct move_rows *rows);

    /* Copies the rows at b of `from` to a of `to`. */
    void (*copy)(const unsigned char *from, unsigned char *to,
                 const struct move_rows *rows);
};

/* Plain C, everywhere: the oracle of the others. */
extern const struct move_code move_code_plain;

#if defined(__x86_64__)
#define MOVE_HAS_AVX2 1
extern const struct move_code move_code_avx2;
#else
#define MOVE_HAS_AVX2 0
#endif

/* The best that this processor has. */
const struct move_code *move_code_best(void);

/* Whether the stretch reverses the order of small elements next to each other:
 * of 1, 2, 4, 8 or 16 bytes. */
static inline bool move_rows_reverse(const struct move_rows *rows)
{
    ptrdiff_t size = (ptrdiff_t)rows->size;

    return size <= 16 && (size & (size - 1)) == 0 && rows->a_step == size &&
           rows->b_step == -size;
}
