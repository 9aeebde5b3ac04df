/* Columns of small elements, 64 bytes of a row at a time: for tensors that the
 * second level cache holds. */
#pragma once

#include "kernels/move/columns/columns_job.h"

/* True if the table has the kernel and it is the fastest for this job. */
bool column_shift_fits(const struct columns_job *job);

/* Carries the job out. False when cancelled. */
bool column_shift_move(const struct columns_job *job);
