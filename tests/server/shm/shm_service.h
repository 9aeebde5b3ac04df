/* A context with one region: "r", bytes 100 to the end of the object "a". */
#pragma once

#include <stdint.h>

#include "server/jobs/context.h"

enum { SIZE = 8 * 4096, BUDGET = 1 << 20 };

extern struct options options;
extern struct job_context context;
extern unsigned char *object; /* the object's memory */
extern struct status st;      /* of whatever failed last */

/* A checked fixture: what is left behind fails the test. */
void shm_service_set_up(void);
void shm_service_tear_down(void);

/* Registers another part of the object. */
void shm_service_add(const char *region, uint64_t offset, uint64_t bytes);
