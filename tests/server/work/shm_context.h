/* A job context with one region: "r", from byte 100 of the object "a" on. */
#pragma once

#include <stdint.h>

#include "server/work/context.h"

enum { SIZE = 8 * 4096, BUDGET = 1 << 20 };

extern struct options options;
extern struct job_context context;
extern unsigned char *object; /* the bytes of "a" */
extern struct status st;      /* of the last failure */

/* A checked fixture: memory or an object left behind fails the test. */
void shm_context_set_up(void);
void shm_context_tear_down(void);
