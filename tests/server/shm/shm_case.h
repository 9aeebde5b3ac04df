/* A struct shm without a service, and a shared memory object "a". */
#pragma once

#include <stdint.h>

#include "tests/server/shm/shm_object.h"

enum { SIZE = 3 * 4096, BUDGET = 1 << 20 };

extern struct shm shm;
extern unsigned char *object; /* the bytes of "a" */
extern struct status st;      /* of the last failure */

/* A checked fixture: a map or object left behind fails the test. */
void shm_case_set_up(void);
void shm_case_tear_down(void);

/* Registers `bytes` of the object `name` as `region`. */
bool shm_case_add(const char *region, const char *name, uint64_t offset,
                  uint64_t bytes);

/* Asserts that the last failure has this code, and `part` in its text. */
void shm_case_failed(enum status_code code, const char *part);

/* Begins a use that finds the region; NULL if it does not. */
unsigned char *shm_case_use(struct shm_use *use, const char *region);
