/* Shared memory objects for tests, which go with the test. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "server/shm/shm.h"

enum { SHM_OBJECT_KEY = 64 };

/* Writes the key of an object that is this process's own: "/flipd-PID-name".
 * Returns `key`. */
char *shm_object_key(char key[SHM_OBJECT_KEY], const char *name);

/* Makes an object of `size` bytes, byte i being i * 7 + start, in the place of
 * any other; returns its memory, of which munmap() is due. */
unsigned char *shm_object_make(const char *name, size_t size,
                               unsigned char start);
void shm_object_cut(const char *name, off_t size);

/* What registers `bytes` of it from `offset` on as `region`. */
struct api_registration shm_object_part(const char *region, const char *name,
                                        uint64_t offset, uint64_t bytes);

/* Whether any of this process's objects is mapped. */
bool shm_object_is_mapped(void);

/* Removes them all. */
void shm_object_clean(void);
