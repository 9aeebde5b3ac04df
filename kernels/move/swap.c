#include "kernels/move/swap.h"

#include "kernels/move/bits_ragged_rows.h"
#include "kernels/move/ragged_rows.h"
#include "kernels/move/run.h"
#include "kernels/move/tiny_planes.h"

/* Data of less are at hand in a cache. */
enum { LARGE = 8 << 20 };

/* Planes of up to NEAR bytes are asked for as they lie, NEAR bytes before their
 * turn, at least AT_ONCE at a time. */
enum { LINE = 64, NEAR = 32 << 10, AT_ONCE = 2 << 10 };

struct swap {
    struct move_walk walk; /* first: move() casts back */
    unsigned char *data;   /* borrowed */
    const struct move_code *code;
    size_t total; /* bytes of the data */
};

/* Whether both sides of a plane are within it, in large data. */
static bool is_near(const struct swap *swap, const struct move_rows *rows)
{
    return swap->total >= LARGE && rows->planes > 1 &&
           rows->plane_step <= NEAR && rows->b > rows->a &&
           rows->b - rows->a < rows->plane_step;
}

static void ask(const struct swap *swap, size_t at, size_t bytes)
{
    for (size_t end = at + bytes; at < end && at < swap->total; at += LINE)
        __builtin_prefetch(swap->data + at, 1);
}

/* A plane is read from two ends: no prefetcher sees that the next one is where
 * it ends. */
static void swap_near(const struct swap *swap, const struct move_rows *rows)
{
    size_t most = (AT_ONCE - 1) / rows->plane_step + 1;
    struct move_rows part = *rows;

    for (size_t done = 0; done < rows->planes; done += part.planes) {
        size_t left = rows->planes - done;

        part.planes = left < most ? left : most;
        ask(swap, part.a + NEAR, part.planes * rows->plane_step);
        swap->code->swap(swap->data, &part);
        part.a += part.planes * rows->plane_step;
        part.b += part.planes * rows->plane_step;
    }
}

static void move(struct move_walk *walk, const struct move_rows *rows)
{
    struct swap *swap = (struct swap *)walk;

    if (walk->packing.bits)
        move_bits_swap(swap->code, &walk->packing, swap->data, rows);
    else if (rows->planes > 1 &&
             move_periods_swap(swap->code, swap->data, rows))
        return;
    else if (is_near(swap, rows))
        swap_near(swap, rows);
    else
        swap->code->swap(swap->data, rows);
}

static bool columns(struct move_walk *walk, const struct move_columns *c)
{
    const struct swap *swap = (const struct swap *)walk;

    return move_columns(c, swap->data, swap->data, false, &walk->pace);
}

static void sequences(struct move_walk *walk, size_t at,
                      const struct move_sequences *s)
{
    struct swap *swap = (struct swap *)walk;
    const struct move_bits *packing = &walk->packing;

    if (packing->bits)
        move_bits_sequences_swap(swap->code, packing,
                                 swap->data + at * packing->bits / 8, s);
    else
        move_sequences_swap(swap->code, swap->data + at, s);
}

bool move_swap(const struct permutation *m, unsigned bits, bool high_first,
               void *data, const atomic_bool *cancel)
{
    struct swap swap = {
        .walk = {.in_place = true,
                 .pace = {.cancel = cancel},
                 .move = move,
                 .columns = columns,
                 .sequences = sequences},
        .data = data,
        .code = move_code_best(),
        .total = m->row * m->row_count / 8 * bits,
    };

    return move_walk_run(&swap.walk, m, bits, high_first);
}
