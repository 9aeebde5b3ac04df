/* Assertions of the fuzz targets. A failed one ends the process, which the
 * fuzzer reports. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(what) expect(what, #what)

static inline void expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "expected: %s\n", what);
    abort();
}

/* Zeroed memory of just this size, or of one byte. Never NULL; free() it. */
static inline void *allocate(size_t size)
{
    void *memory = calloc(1, size ? size : 1);

    expect(memory != NULL, "memory");
    return memory;
}

/* A copy in a block of just its size, so that a sanitizer sees every read
 * behind it. */
static inline void *copy_of(const void *data, size_t size)
{
    void *copy = allocate(size);

    if (size > 0)
        memcpy(copy, data, size);
    return copy;
}
