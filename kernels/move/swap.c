#include "kernels/move/swap.h"

#include "kernels/move/bits/bits.h"
#include "kernels/move/bits/bits_ragged_rows.h"
#include "kernels/move/columns/columns.h"
#include "kernels/move/dispatch.h"
#include "kernels/move/permutation_loops.h"

/* Smaller data is in a cache already: it is not prefetched. */
enum { LARGE = 8 << 20 };

/* Planes of more than LINE and up to NEAR bytes are prefetched in the order of
 * their addresses, NEAR bytes ahead, at least AT_ONCE bytes at a time. */
enum { LINE = 64, NEAR = 32 << 10, AT_ONCE = 2 << 10 };

struct swap {
    struct mover mover;  /* first: the callbacks cast back */
    unsigned char *data; /* borrowed */
    const struct kernel_table *kernels;
    size_t total; /* bytes of the data */
};

/* True if both sides of each plane are within the plane, in large data. */
static bool is_near(const struct swap *swap, const struct strided_rows *rows)
{
    return swap->total >= LARGE && rows->batch > 1 && rows->batch_step > LINE &&
           rows->batch_step <= NEAR && rows->b > rows->a &&
           rows->b - rows->a < rows->batch_step;
}

static void prefetch(const struct swap *swap, size_t at, size_t bytes)
{
    for (size_t end = at + bytes; at < end && at < swap->total; at += LINE)
        __builtin_prefetch(swap->data + at, 1);
}

/* A plane is read from both ends: no hardware prefetcher predicts that the next
 * plane starts where it ends. */
static void swap_near(const struct swap *swap, const struct strided_rows *rows)
{
    size_t most = (AT_ONCE - 1) / rows->batch_step + 1;
    struct strided_rows part = *rows;

    for (size_t done = 0; done < rows->batch; done += part.batch) {
        size_t left = rows->batch - done;

        part.batch = left < most ? left : most;
        prefetch(swap, part.a + NEAR, part.batch * rows->batch_step);
        swap->kernels->rows.swap(swap->data, &part);
        part.a += part.batch * rows->batch_step;
        part.b += part.batch * rows->batch_step;
    }
}

static void swap_rows(struct mover *mover, const struct strided_rows *rows)
{
    struct swap *swap = (struct swap *)mover;

    if (mover->packed.bits)
        bits_swap(swap->kernels, &mover->packed, swap->data, rows);
    else if (is_near(swap, rows))
        swap_near(swap, rows);
    else
        swap->kernels->rows.swap(swap->data, rows);
}

static bool swap_columns(struct mover *mover, size_t at,
                         struct columns_args *args)
{
    const struct swap *swap = (const struct swap *)mover;

    args->from = args->to = swap->data + at;
    args->kernels = swap->kernels;
    return columns_move(args);
}

static void swap_ragged_rows(struct mover *mover, size_t at,
                             const struct ragged_rows *rows)
{
    struct swap *swap = (struct swap *)mover;
    const struct element_format *packed = &mover->packed;

    if (packed->bits)
        bits_ragged_rows_swap(swap->kernels, packed,
                              swap->data + at * packed->bits / 8, rows);
    else
        swap->kernels->ragged_rows.swap(swap->data + at, rows);
}

bool move_swap(const struct permutation *p, struct element_format format,
               void *data, const atomic_bool *cancel)
{
    struct swap swap = {
        .mover = {.in_place = true,
                  .cancel = {.flag = cancel},
                  .move = swap_rows,
                  .move_columns = swap_columns,
                  .move_ragged_rows = swap_ragged_rows},
        .data = data,
        .kernels = dispatch_kernels(),
        .total = p->row * p->row_count / 8 * format.bits,
    };

    return permutation_loops_run(&swap.mover, p, format);
}
