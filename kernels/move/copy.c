#include "kernels/move/copy.h"

#include "kernels/move/bits/bits.h"
#include "kernels/move/bits/bits_ragged_rows.h"
#include "kernels/move/columns/columns.h"
#include "kernels/move/dispatch.h"
#include "kernels/move/permutation_loops.h"
#include "kernels/move/wc_buffer.h"
#include "kernels/simd/nontemporal.h"

struct copy {
    struct mover mover;        /* first: the callbacks cast back */
    const unsigned char *from; /* borrowed */
    unsigned char *to;         /* borrowed */
    const struct kernel_table *kernels;
    struct wc_buffer *wc; /* borrowed; NULL: the result goes into the caches */

    /* Unchanged units that are not copied yet: adjacent spans of them become
     * one straight copy. */
    size_t unchanged, unchanged_count;
};

/* The buffer accepts only rows whose targets are adjacent. */
static bool fits_buffer(const struct copy *copy,
                        const struct strided_rows *rows)
{
    return copy->wc &&
           (rows->count == 1 || rows->a_step == (ptrdiff_t)rows->size);
}

static void copy_now(struct copy *copy, const struct strided_rows *rows)
{
    const struct element_format *packed = &copy->mover.packed;

    if (packed->bits)
        bits_copy(copy->kernels, packed, copy->from, copy->to, rows);
    else if (fits_buffer(copy, rows))
        move_wc_buffer_copy(copy->wc, copy->from, copy->to, rows);
    else
        copy->kernels->rows.copy(copy->from, copy->to, rows);
}

static void copy_unchanged(struct copy *copy)
{
    struct strided_rows rows = {
        .a = copy->unchanged,
        .b = copy->unchanged,
        .count = 1,
        .size = copy->unchanged_count,
        .batch = 1,
    };

    if (copy->unchanged_count > 0)
        copy_now(copy, &rows);
    copy->unchanged_count = 0;
}

/* True if the rows are adjacent and each is its own source. */
static bool is_unchanged(const struct strided_rows *rows)
{
    return rows->a == rows->b && rows->batch == 1 &&
           (rows->count == 1 || (rows->a_step == rows->b_step &&
                                 rows->a_step == (ptrdiff_t)rows->size));
}

static void copy_rows(struct mover *mover, const struct strided_rows *rows)
{
    struct copy *copy = (struct copy *)mover;

    if (!is_unchanged(rows)) {
        copy_now(copy, rows);
        return;
    }
    /* A span of CANCEL_STEP_BYTES is copied now, so that the cancel flag is
     * tested in between. */
    if (rows->a != copy->unchanged + copy->unchanged_count ||
        copy->unchanged_count >= CANCEL_STEP_BYTES) {
        copy_unchanged(copy);
        copy->unchanged = rows->a;
    }
    copy->unchanged_count += rows->count * rows->size;
}

static bool copy_columns(struct mover *mover, size_t at,
                         struct columns_args *args)
{
    const struct copy *copy = (const struct copy *)mover;

    args->from = copy->from + at;
    args->to = copy->to + at;
    args->nontemporal = copy->wc != NULL;
    args->kernels = copy->kernels;
    return columns_move(args);
}

static void copy_ragged_rows(struct mover *mover, size_t at,
                             const struct ragged_rows *rows)
{
    const struct copy *copy = (const struct copy *)mover;
    const struct element_format *packed = &mover->packed;
    size_t byte = packed->bits ? at * packed->bits / 8 : at;

    if (packed->bits)
        bits_ragged_rows_copy(copy->kernels, packed, copy->from + byte,
                              copy->to + byte, rows);
    else
        copy->kernels->ragged_rows.copy(copy->from + byte, copy->to + byte,
                                        rows);
}

/* Packed elements are written without changing the other bits of a byte, so the
 * last byte is zeroed first. */
static void clear_padding(const struct permutation *p, unsigned bits,
                          unsigned char *to)
{
    uint64_t per_byte = 8 / bits;
    uint64_t count = p->row * p->row_count;

    if (count % per_byte != 0)
        to[count / per_byte] = 0;
}

bool move_copy(const struct permutation *p, struct element_format format,
               const void *from, void *to, const atomic_bool *cancel)
{
    size_t total = p->row * p->row_count / 8 * format.bits;
    bool large = total >= NONTEMPORAL_BYTES;
    struct wc_buffer wc;
    struct copy copy = {
        .mover = {.cancel = {.flag = cancel},
                  .move = copy_rows,
                  .move_columns = copy_columns},
        .from = from,
        .to = to,
        .kernels = dispatch_kernels(),
        .wc = large ? &wc : NULL,
    };
    bool done;

    if (large)
        move_wc_buffer_init(&wc, copy.kernels, total);
    else
        copy.mover.move_ragged_rows = copy_ragged_rows;
    if (format.bits < 8)
        clear_padding(p, format.bits, to);
    done = permutation_loops_run(&copy.mover, p, format);
    if (done)
        copy_unchanged(&copy);
    if (large) {
        move_wc_buffer_flush(&wc);
        nontemporal_fence();
    }
    return done;
}
