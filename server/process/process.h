/* What the process asks of the system before it serves. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernels/core/status.h"
#include "server/config/options.h"
#include "server/log/log.h"

/* Signals, the heap, the number of libuv's workers. While there is but one
 * thread, and before libuv has work. */
void process_prepare(const struct options *options);

/* Takes as many descriptors as we may have; says so when they are too few. */
void process_raise_fd_limit(const struct options *options, struct log *log);

/* Whether the system lets us have so many threads more, which libuv takes for
 * granted: without its workers it ends the process and says nothing. */
bool process_can_start_threads(int64_t count, struct status *st);
