#include "kernels/move/columns/columns_job.h"

size_t columns_job_longest(const struct columns_job *job)
{
    size_t most = 0;

    for (size_t i = 0; i < job->count; i++)
        most = (size_t)job->lens[i] > most ? (size_t)job->lens[i] : most;
    return most;
}

struct ragged_columns columns_job_row(const struct columns_job *job)
{
    return (struct ragged_columns){.size = job->size,
                                   .count = job->count,
                                   .rows = 1,
                                   .from_step = job->step,
                                   .to_step = job->step,
                                   .lens = job->lens};
}
