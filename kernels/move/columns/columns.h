/* The mover of ragged columns: chooses the algorithm by size. */
#pragma once

#include "kernels/move/columns/columns_job.h"

/* Carries the job out. False when cancelled. Allocates at most 8 MiB of scratch
 * memory; without it, a slower algorithm does the job. */
bool columns_move(const struct columns_job *job);
