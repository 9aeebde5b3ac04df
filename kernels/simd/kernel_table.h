/* The kernels of one instruction set, the loops that move bytes, and their
 * arguments.
 *
 * No address needs any alignment, unless a comment says so. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/dtype.h"
#include "kernels/core/isa.h"

/* For loops that are written once for a size and called with that size as a
 * constant: the compiler then unrolls and vectorises each call. */
#define INLINE static inline __attribute__((always_inline))

/* Equally spaced rows that are exchanged or copied.
 *
 * Row i of side a lies at a + i * a_step, row i of side b at b + i * b_step,
 * for i < count. The whole repeats `batch` times, batch_step further each time
 * on both sides; one repetition is called a plane.
 *
 * All figures but the counts are in units: bytes for the row kernels, packed
 * elements in move/bits.h. Row i of one side and row j of the other never
 * overlap. */
struct strided_rows {
    size_t a, b;              /* offset of row 0 */
    ptrdiff_t a_step, b_step; /* from one row to the next; may be negative */
    size_t count;             /* rows of a plane, >= 1 */
    size_t size;              /* of a row, >= 1 */
    size_t batch;             /* planes, >= 1 */
    size_t batch_step;        /* from one plane to the next */
};

/* True if the rows are adjacent, of any size, and their order is reversed. */
static inline bool strided_rows_reversed(const struct strided_rows *rows)
{
    ptrdiff_t size = (ptrdiff_t)rows->size;

    return rows->a_step == size && rows->b_step == -size;
}

/* Batch-major sequences: adjacent in memory, each of `rows` rows, of which the
 * first lens[i] are reversed and the others stay.
 *
 * For packed elements a row is one element, `size` is 1, and each sequence has
 * a whole number of bytes. */
struct ragged_rows {
    size_t size;         /* bytes of a row, >= 1 */
    size_t rows;         /* of a sequence, >= 1 */
    size_t count;        /* sequences, >= 1 */
    const int64_t *lens; /* borrowed: one a sequence, 0 to rows */
};

/* Time-major sequences: adjacent columns, each reversed up to its own length.
 * A call covers rows row .. row + rows - 1 of all columns. */
struct ragged_columns {
    size_t size;         /* bytes of an entry, >= 1 */
    size_t count;        /* columns */
    size_t row, rows;    /* the rows of this call */
    size_t step;         /* bytes from one row to the next */
    const int64_t *lens; /* borrowed: one a column */
};

/* Arguments of the transpose kernel: a matrix of small elements. */
struct transpose {
    size_t size;          /* bytes of an element: 1, 2, 4, 8 or 16 */
    size_t rows, columns; /* of the source; transpose_side bytes of each
                             or more */
    size_t from_step;     /* bytes from one row of the source to the next */
    size_t to_step;       /* bytes from one row of the target to the next */
    bool nontemporal;     /* the target may be written past the caches */

    /* Rows in memory that are needed next: they are prefetched meanwhile, as
     * they lie a stride apart, which no hardware prefetcher predicts. */
    const unsigned char *next; /* borrowed */
    size_t next_rows, next_step, next_bytes;
};

/* Whole words of 64 bits, made of packed elements that may start inside a byte.
 *
 * Forward: each target byte holds the next 8 bits of the source, in the order
 * of its elements, starting `shift` bits inside the first source byte. With
 * `reverse` the elements come from the last to the first. */
struct bit_transfer {
    struct element_format format; /* of 1, 2 or 4 bits */
    bool reverse;
    unsigned shift; /* 0 to 7 */
};

struct kernel_table {
    /* Exchanges the rows of side a with those of side b. */
    void (*swap_rows)(unsigned char *data, const struct strided_rows *rows);

    /* Copies the rows of side b in `from` to side a in `to`. */
    void (*copy_rows)(const unsigned char *from, unsigned char *to,
                      const struct strided_rows *rows);

    /* Reverses sequences in place. */
    void (*swap_ragged_rows)(unsigned char *data,
                             const struct ragged_rows *rows);

    /* Exchanges each entry of the call's rows with its partner, row
     * lens[column] - 1 - row, where the row is in the first half of the
     * length. `data` is row 0 of the first column. */
    void (*swap_columns)(unsigned char *data,
                         const struct ragged_columns *columns);

    /* Element (c, r) of `to` becomes element (r, c) of `from`. The two do not
     * overlap. Nontemporal stores need nontemporal_fence() afterwards. */
    void (*transpose)(const unsigned char *from, unsigned char *to,
                      const struct transpose *t);
    size_t transpose_side; /* bytes of the shortest side of a matrix */

    /* Makes `words` words of 8 bytes at `to` of those at `from`, which do not
     * overlap. Reads one byte more if transfer->shift is not 0. */
    void (*copy_bits)(const unsigned char *from, unsigned char *to,
                      size_t words, const struct bit_transfer *transfer);
};

/* The tables; a build has the generic one and those for its processor. */
extern const struct kernel_table kernel_table_generic, kernel_table_avx2,
    kernel_table_avx512, kernel_table_neon;

/* The same by their set; NULL: not in this build. */
extern const struct kernel_table *const kernel_tables[ISA_COUNT];

/* The table of isa_active(), which all movers use. Any thread. */
const struct kernel_table *kernel_table_active(void);

/* Ends nontemporal stores, before another thread may read the result. */
static inline void nontemporal_fence(void)
{
#if defined(__SSE2__)
    __builtin_ia32_sfence();
#endif
}
