/* The mover of ragged columns: chooses the algorithm by size. */
#pragma once

#include "kernels/move/columns/columns_job.h"

/* Carries the job out. False when cancelled. Takes at most 8 MiB of scratch
 * memory; without it, the job is done by a slower algorithm. */
bool columns_move(const struct columns_job *job);
