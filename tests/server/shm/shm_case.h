/* Registered shared memory by itself, and an object "a" to register. */
#pragma once

#include <stdint.h>

#include "tests/server/shm/shm_object.h"

enum { SIZE = 3 * 4096, BUDGET = 1 << 20 };

extern struct shm shm;
extern unsigned char *object; /* the object's memory */
extern struct status st;      /* of whatever failed last */

/* A checked fixture: what is left behind fails the test. */
void shm_case_set_up(void);
void shm_case_tear_down(void);

/* Registers `bytes` of the object `name` as `region`. */
bool shm_case_add(const char *region, const char *name, uint64_t offset,
                  uint64_t bytes);

/* Asserts that this is what failed last, with `part` in its text. */
void shm_case_failed(enum status_code code, const char *part);
