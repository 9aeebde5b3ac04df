#include "kernels/move_swap.h"

#include "kernels/move_periods.h"
#include "kernels/move_sequences.h"
#include "kernels/move_walk.h"

struct swap {
    struct move_walk walk; /* first: move() casts back */
    unsigned char *data;   /* borrowed */
    const struct move_code *code;
};

static void move(struct move_walk *walk, const struct move_rows *rows)
{
    struct swap *swap = (struct swap *)walk;

    if (walk->packing.bits)
        move_bits_swap(swap->code, &walk->packing, swap->data, rows);
    else if (rows->planes == 1 ||
             !move_periods_swap(swap->code, swap->data, rows))
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

    move_sequences_swap(swap->code, swap->data + at, s);
}

bool move_swap(const struct movement *m, unsigned bits, bool high_first,
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
    };

    return move_walk_run(&swap.walk, m, bits, high_first);
}
