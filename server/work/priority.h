/* The processor time of threads: how long their turns are, and that workers let
 * others go first. */
#pragma once

#include "server/work/queue.h"

/* Many short turns instead of few long ones, for the calling thread and those
 * that it makes: a loop with one small request waits less behind another that
 * sends a large answer, and a thread that gives way loses no more than a short
 * turn. Linux before 6.12 has turns of its own length. */
void priority_shorten_turns(void);

/* Lowers the calling thread's priority to that of such a worker. Once for a
 * thread, which cannot go back. */
void priority_lower(enum lane kind);

/* Lets others run now and then: for a worker to call often, such as wherever it
 * tests a cancel flag (cancel_pause of kernels/core/cancel.h). */
void priority_give_way(void);
