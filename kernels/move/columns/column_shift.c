#include "kernels/move/columns/column_shift.h"

enum {
    LINE = 64,
    /* Divided by the size of an entry: bytes up to which this is faster than
     * panels, which transpose small entries at a higher cost. */
    MOST_BYTES = 512 << 10,
};

bool column_shift_fits(const struct columns_job *job)
{
    return job->kernels->column_shift && job->size <= 8 &&
           (job->size & (job->size - 1)) == 0 &&
           job->size * job->count >= LINE &&
           job->time >= COLUMN_SHIFT_MIN_ROWS &&
           job->time <= COLUMN_SHIFT_MAX_ROWS &&
           columns_job_bytes(job) <= MOST_BYTES / job->size;
}

/* The last 64 bytes end where the columns end. Columns that the step before has
 * moved in place are kept. */
bool column_shift_move(const struct columns_job *job)
{
    _Alignas(LINE) unsigned char scratch[COLUMN_SHIFT_SCRATCH_BYTES];
    size_t count = LINE / job->size;

    for (size_t i = 0; i < job->count; i += count) {
        size_t first = i + count <= job->count ? i : job->count - count;
        size_t at = first * job->size;
        struct column_shift columns = {
            .lens = job->lens + first,
            .size = job->size,
            .kept = columns_job_in_place(job) ? i - first : 0,
            .rows = job->time,
            .step = job->step};

        if (!cancel_step(job->cancel, job->time * LINE))
            return false;
        job->kernels->column_shift->run(job->from + at, job->to + at, scratch,
                                        &columns);
    }
    return true;
}
