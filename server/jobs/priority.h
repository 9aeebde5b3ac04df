/* The processor time of worker threads, which others are to have before them.
 */
#pragma once

#include "server/schedule/schedule.h"

/* Lowers the calling thread's priority to that of such a worker, and lets it
 * give way wherever it tests a cancel flag (kernels/core/cancel.h). Once for a
 * thread, which cannot go back. */
void priority_lower(enum schedule_kind kind);
