/* The heap of a test, for code that must leave nothing on it. */
#pragma once

#include <malloc.h>
#include <stddef.h>

/* Bytes that are allocated now. A block that was freed into the thread's cache
 * still counts, so a test runs the code once before it measures. 0 with a
 * sanitizer's allocator, whose leak check finds the same. */
static inline size_t heap_in_use(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}
