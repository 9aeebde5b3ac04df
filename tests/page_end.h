/* Bytes at the end of a page, behind which no byte may be read: one that is
 * read too far ends a test in a release build too. */
#pragma once

#include <check.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static inline size_t page_end_round(size_t len)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (len / page + 1) * page;
}

/* A copy of `len` bytes, to be freed with the same `len`. */
static inline void *page_end_copy(const void *bytes, size_t len)
{
    size_t pages = page_end_round(len), page = page_end_round(0);
    char *map = mmap(NULL, pages + page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (map == MAP_FAILED || mprotect(map + pages, page, PROT_NONE) != 0)
        ck_abort_msg("no memory that ends at %zu bytes", len);
    return memcpy(map + pages - len, bytes, len);
}

static inline void page_end_free(void *copy, size_t len)
{
    size_t pages = page_end_round(len);

    munmap((char *)copy + len - pages, pages + page_end_round(0));
}
