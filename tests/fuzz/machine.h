/* The machine under a fuzz target, as far as a run must be repeatable: its
 * clock, its waits, its threads and its shared memory. machine.c defines the
 * functions that the server and its libraries call for these, in the place of
 * the system's.
 *
 * The monotonic clocks stand still but for one microsecond a call. A wait
 * never sleeps: when nothing is ready, the time that was to be waited has
 * passed. No thread runs by itself: machine_run_thread() calls the function
 * that uv_thread_create() was given. One thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

void machine_advance_ms(uint64_t ms);

/* Events that waits have reported since the start. */
uint64_t machine_event_count(void);

/* Sockets that were told to reset their connection when they are closed. */
unsigned machine_reset_count(void);

/* Calls the thread's function: it was created and has not been joined. */
void machine_run_thread(const uv_thread_t *thread);
