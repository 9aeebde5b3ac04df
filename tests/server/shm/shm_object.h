/* Shared memory objects for tests. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "server/shm/shm.h"

enum { SHM_OBJECT_KEY = 64 };

/* Writes the key of an object of this process, "/flipd-PID-name", and returns
 * `key`. */
char *shm_object_key(char key[SHM_OBJECT_KEY], const char *name);

/* Creates an object of `size` bytes, where byte i is i * 7 + start; an older
 * object of the name is unlinked. Returns its map, for the caller to unmap. */
unsigned char *shm_object_make(const char *name, size_t size,
                               unsigned char start);
/* Changes the size of the object. */
void shm_object_cut(const char *name, off_t size);

/* The registration of `bytes` of the object, from `offset`, as `region`. */
struct api_shm_part shm_object_part(const char *region, const char *name,
                                    uint64_t offset, uint64_t bytes);

/* True if an object of this process is mapped. */
bool shm_object_is_mapped(void);

/* Unlinks all objects of this process. */
void shm_object_clean(void);
