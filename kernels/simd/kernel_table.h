/* Stretches of rows, and the loops that move them: the one place where bytes
 * change places. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Rows row .. row + rows - 1 of columns next to each other, each of which is
 * reversed up to its own length. */
struct move_tile {
    size_t size;         /* bytes of an entry, >= 1 */
    size_t count;        /* columns */
    size_t row, rows;    /* within the first half of some lengths, or beyond */
    size_t from_step;    /* bytes from one row to the next */
    size_t to_step;      /* the same of a copy */
    const int64_t *lens; /* borrowed: one a column */
    bool far;            /* a copy is to be asked for, and goes past the caches,
                          * where the code knows how */
};

/* Sequences next to each other, each with its own length: how many of its rows,
 * from the first, stand in reverse order afterwards. Rows of packed elements
 * are one each, of size 1, and a sequence of them is whole bytes. */
struct move_sequences {
    size_t size;         /* bytes of a row, >= 1 */
    size_t rows;         /* of a sequence, >= 1 */
    size_t count;        /* sequences, >= 1 */
    const int64_t *lens; /* borrowed: one a sequence, 0 to rows */
};

/* A matrix of small elements and its place on the other side. */
struct move_transpose {
    size_t size;          /* of an element: 1, 2, 4 or 8 bytes */
    size_t rows, columns; /* that are read; each >= 16 / size */
    size_t from_step;     /* bytes from one row to the next */
    size_t to_step;       /* from what was one column to the next */
};

/* Bytes of a column that move_code's take() and put() handle at a time, and
 * those of a row at most. */
enum { MOVE_BLOCK_BYTES = 64, MOVE_BLOCK_WIDE = 512 };

/* Rows row .. row + MOVE_BLOCK_BYTES / size - 1 of a panel of columns, or those
 * of them that there are, on their way to a scratch and back. There each block
 * has MOVE_BLOCK_BYTES for every column. */
struct move_block {
    size_t size;         /* of an entry: 1, 2, 4 or 8 bytes */
    size_t columns;      /* MOVE_BLOCK_BYTES to MOVE_BLOCK_WIDE of them */
    size_t rows;         /* of the panel, >= any length */
    size_t row;          /* the first of the block */
    size_t step;         /* bytes from one row to the next */
    const int64_t *lens; /* borrowed: the entries that are reversed */
    bool stream;         /* past the caches */
};

/* Rows that move_code's rise() handles at most, and at least. */
enum { MOVE_RISE_ROWS = 1024, MOVE_RISE_LEAST = 16 };

/* Bytes of the scratch that it needs. */
enum { MOVE_RISE_SCRATCH = (MOVE_RISE_ROWS + 256) * 64 };

/* Columns whose entries lie side by side in 64 bytes. */
struct move_rise {
    const int64_t *lens; /* borrowed: the entries of each that are reversed */
    size_t size;         /* of an entry: 1, 2, 4 or 8 bytes */
    size_t kept;         /* columns, from the first, that stay as they are */
    size_t rows;         /* MOVE_RISE_LEAST to MOVE_RISE_ROWS */
    size_t step;         /* bytes from one row to the next */
};

struct move_bits;     /* move_bits.h */
struct move_order;    /* move_periods.h */
struct move_bits_way; /* move_bits_span.h */

/* The loops in one instruction set. No alignment is needed anywhere. */
struct move_code {
    const char *name;

    /* Exchanges the rows at a and at b. */
    void (*swap)(unsigned char *data, const struct move_rows *rows);

    /* Copies the rows at b of `from` to a of `to`. */
    void (*copy)(const unsigned char *from, unsigned char *to,
                 const struct move_rows *rows);

    /* Copies whole lines to the start of a line, past the caches; meanwhile
     * asks for as many bytes from `ahead` on, which are read soon. */
    void (*stream)(unsigned char *to, const unsigned char *from, size_t bytes,
                   const unsigned char *ahead);

    /* Exchanges the entries of these rows with their mirrors, where the row is
     * in the first half of its length; copies to `to` what belongs into these
     * rows. `data` and `from` are the first entry of the first column. */
    void (*swap_columns)(unsigned char *data, const struct move_tile *tile);
    void (*copy_columns)(const unsigned char *from, unsigned char *to,
                         const struct move_tile *tile);

    /* Reverses sequences in place, or copies them reversed. May be NULL: they
     * are made of swap and copy then. See move_sequences.h. */
    void (*swap_sequences)(unsigned char *data, const struct move_sequences *s);
    void (*copy_sequences)(const unsigned char *from, unsigned char *to,
                           const struct move_sequences *s);

    /* Makes element (c, r) of `to` what element (r, c) of `from` is. They do
     * not overlap. */
    void (*transpose)(const unsigned char *from, unsigned char *to,
                      const struct move_transpose *t);

    /* Moves `bytes` bytes, which are whole planes of an order of at most
     * turn_width bytes (move_periods.h). `to` may be `from`. */
    void (*turn)(const unsigned char *from, unsigned char *to, size_t bytes,
                 const struct move_order *order);
    size_t turn_width;

    /* Makes `bytes` whole bytes of packed elements at `to` of those at `from`
     * (move_bits_span.h). Reads one byte more if they are shifted. No byte is
     * on both sides. */
    void (*bits)(const unsigned char *from, unsigned char *to, size_t bytes,
                 const struct move_bits_way *way);

    /* Exchanges `bytes` whole bytes from a on with those that end at b: each
     * becomes what bits() would make of the others in reverse order, and if
     * they are shifted, the one behind them is read too. NULL where nothing is
     * gained by it. */
    void (*swap_bits)(unsigned char *a, unsigned char *b, size_t bytes,
                      const struct move_bits_way *way);

    /* As swap_sequences() and copy_sequences(), of packed elements. Without
     * lengths all of a sequence is exchanged. May be NULL: they are made of
     * bits() then. */
    void (*swap_bit_lens)(unsigned char *data, const struct move_bits *packing,
                          const struct move_sequences *s);
    void (*copy_bit_lens)(const unsigned char *from, unsigned char *to,
                          const struct move_bits *packing,
                          const struct move_sequences *s);

    /* Takes a block into the scratch and asks for the next; puts a block of the
     * result together from there. Both are given the panel's first entry and
     * block. The block before the first and the one after the last are read,
     * what is there does not matter. NULL where plain transposing does. */
    void (*take)(const unsigned char *from, unsigned char *scratch,
                 const struct move_block *block);
    void (*put)(const unsigned char *scratch, unsigned char *to,
                const struct move_block *block);

    /* Moves a line of columns. `to` may be `from`. NULL where nothing is gained
     * by it. */
    void (*rise)(const unsigned char *from, unsigned char *to,
                 unsigned char *scratch, const struct move_rise *line);
};

/* Plain C, everywhere: the oracle of the others. */
extern const struct move_code move_code_plain;

#if defined(__x86_64__)
#define MOVE_HAS_X86 1
extern const struct move_code move_code_avx512, move_code_avx2;
#else
#define MOVE_HAS_X86 0
#endif

/* The i-th best that this processor has, i from 0 on; NULL past the last, which
 * is plain C. */
const struct move_code *move_code_level(int i);

/* The best of them. */
const struct move_code *move_code_best(void);

/* Whether the span reverses the order of small elements next to each other:
 * of 1, 2, 4, 8 or 16 bytes. */
static inline bool move_rows_reverse(const struct move_rows *rows)
{
    ptrdiff_t size = (ptrdiff_t)rows->size;

    return size <= 16 && (size & (size - 1)) == 0 && rows->a_step == size &&
           rows->b_step == -size;
}
