/* Allocations. What is hidden is called by its second name, for dlsym() may
 * allocate: AddressSanitizer's where it is, else the C library's. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/torture/control.h"

#define WEAK __attribute__((weak))
void *__interceptor_malloc(size_t size) WEAK;
void *__interceptor_calloc(size_t count, size_t size) WEAK;
void *__interceptor_realloc(void *old, size_t size) WEAK;
void *__interceptor_aligned_alloc(size_t alignment, size_t size) WEAK;
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static const int no_memory[] = {ENOMEM, 0};

void *malloc(size_t size)
{
    if (torture_fails(TORTURE_ALLOC, "malloc", no_memory))
        return NULL;
    return __interceptor_malloc ? __interceptor_malloc(size)
                                : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    if (torture_fails(TORTURE_ALLOC, "calloc", no_memory))
        return NULL;
    return __interceptor_calloc ? __interceptor_calloc(count, size)
                                : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    if (torture_fails(TORTURE_ALLOC, "realloc", no_memory))
        return NULL;
    return __interceptor_realloc ? __interceptor_realloc(old, size)
                                 : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    if (torture_fails(TORTURE_ALLOC, "aligned_alloc", no_memory))
        return NULL;
    return __interceptor_aligned_alloc
               ? __interceptor_aligned_alloc(alignment, size)
               : __libc_memalign(alignment, size);
}

int posix_memalign(void **place, size_t alignment, size_t size)
{
    void *block = aligned_alloc(alignment, size);

    if (!block)
        return ENOMEM;
    *place = block;
    return 0;
}
