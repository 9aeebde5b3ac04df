#include "tests/api/heap.h"

#include <malloc.h>
#include <string.h>

struct heap heap;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *block);

void heap_on(long fail_at)
{
    heap = (struct heap){.on = true, .fail_at = fail_at};
}

void heap_off(void)
{
    heap.on = false;
}

static bool fails(void)
{
    return heap.on && heap.calls++ == heap.fail_at;
}

static void *note(void *block)
{
    if (heap.on && block)
        heap.live += malloc_usable_size(block);
    if (heap.live > heap.peak)
        heap.peak = heap.live;
    return block;
}

static void forget(void *block)
{
    if (heap.on && block)
        heap.live -= malloc_usable_size(block);
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : note(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : note(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    if (fails())
        return NULL;
    forget(old);
    return note(__real_realloc(old, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : note(__real_aligned_alloc(alignment, size));
}

char *__wrap_strdup(const char *text)
{
    char *copy = __wrap_malloc(strlen(text) + 1);

    return copy ? strcpy(copy, text) : NULL;
}

void __wrap_free(void *block)
{
    forget(block);
    __real_free(block);
}
