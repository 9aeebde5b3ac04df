#include "kernels/move/columns/columns_args.h"

size_t columns_args_longest(const struct columns_args *args)
{
    size_t most = 0;

    for (size_t i = 0; i < args->count; i++)
        most = (size_t)args->lens[i] > most ? (size_t)args->lens[i] : most;
    return most;
}

struct ragged_columns columns_args_row(const struct columns_args *args)
{
    return (struct ragged_columns){.size = args->size,
                                   .count = args->count,
                                   .rows = 1,
                                   .from_step = args->step,
                                   .to_step = args->step,
                                   .lens = args->lens};
}
