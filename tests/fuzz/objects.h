/* The shared memory objects of a fuzz target, in the place of those in
 * /dev/shm: objects.c defines shm_open(). One thread. */
#pragma once

#include <stdint.h>

enum { OBJECT_COUNT = 3, OBJECT_BYTES = 8192 };

/* "/a", "/b" and "/c". */
extern const char *const object_names[OBJECT_COUNT];

/* Gives all objects OBJECT_BYTES bytes, and these their first values. Cheap
 * when none has been opened or cut since. */
void objects_reset(void);

/* Sets the size of an object. */
void objects_cut(int object, int64_t bytes);

/* The first value of a byte of an object. */
unsigned char object_byte(int object, uint64_t at);

/* The object as it is now, OBJECT_BYTES bytes; those that were cut off must not
 * be touched. */
unsigned char *object_bytes(int object);
