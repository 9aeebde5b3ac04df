/* The kernels of one instruction set: the loops that move bytes.
 *
 * No address needs any alignment, unless a comment says so. */
#pragma once

#include <stddef.h>

#include "kernels/simd/bit_transfer.h"
#include "kernels/simd/column_args.h"
#include "kernels/simd/row_args.h"

struct row_kernels {
    /* Exchanges the rows of side a with those of side b. */
    void (*swap)(unsigned char *data, const struct strided_rows *rows);

    /* Copies the rows of side b in `from` to side a in `to`. */
    void (*copy)(const unsigned char *from, unsigned char *to,
                 const struct strided_rows *rows);
};

struct ragged_row_kernels {
    /* Reverses sequences in place. */
    void (*swap)(unsigned char *data, const struct ragged_rows *rows);

    /* Copies them, reversed, and the rows after their lengths. */
    void (*copy)(const unsigned char *from, unsigned char *to,
                 const struct ragged_rows *rows);
};

/* `data` and `from` point at row 0 of the first column, `to` at the call's
 * first row. */
struct column_kernels {
    /* Exchanges each entry of the call's rows with its partner, row
     * lens[column] - 1 - row, where the row is in the first half of the
     * length. */
    void (*swap)(unsigned char *data, const struct ragged_columns *columns);

    /* Copies to each entry of the call's rows its partner, or the entry itself
     * where the row is not within the length. */
    void (*copy)(const unsigned char *from, unsigned char *to,
                 const struct ragged_columns *columns);

    /* Element (c, r) of `to` becomes element (r, c) of `from`. The two do not
     * overlap. Nontemporal stores need nontemporal_fence() afterwards. */
    void (*transpose)(const unsigned char *from, unsigned char *to,
                      const struct transpose *t);
    size_t transpose_side; /* bytes of the shortest side of a matrix */
};

struct kernel_table {
    const char *name; /* of the instruction set */
    struct row_kernels rows;
    struct ragged_row_kernels ragged_rows;
    struct column_kernels columns;
    /* Makes `words` words of 8 bytes at `to` of those at `from`, which do not
     * overlap. Reads one byte more if transfer->shift is not 0. */
    void (*copy_bits)(const unsigned char *from, unsigned char *to,
                      size_t words, const struct bit_transfer *transfer);
};

/* The tables; a build has the generic one and those for its processor. */
extern const struct kernel_table kernel_table_generic; /* the tests' oracle */
extern const struct kernel_table kernel_table_avx2;
extern const struct kernel_table kernel_table_avx512;
extern const struct kernel_table kernel_table_neon;
