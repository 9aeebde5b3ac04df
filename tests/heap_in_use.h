/* The heap of a test, for code that must leave nothing on it. */
#pragma once

#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* Bytes that are allocated now. Without heap_is_exact() a block that was freed
 * into the thread's cache still counts, so a test runs the code some times
 * before it measures. 0 with a sanitizer's allocator, whose leak check finds
 * the same. */
static inline size_t heap_in_use(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

/* True where each block is counted at once, because the test runs without the
 * threads' caches: ctest sets this for the api's and kernels' programs. */
static inline bool heap_is_exact(void)
{
    return getenv("GLIBC_TUNABLES") != NULL;
}
