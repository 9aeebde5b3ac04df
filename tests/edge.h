/* Blocks with a page that may not be touched right behind them, and one before
 * their first page: what reads or writes a byte too far crashes, in release
 * builds too. */
#pragma once

#include <check.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The bytes of the pages of such a block. */
static inline size_t edge_pages(size_t len)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (len + page - 1) / page * page;
}

/* A block of `len` bytes, aligned to none, for edge_free(). */
static inline unsigned char *edge_new(size_t len)
{
    size_t page = edge_pages(1), pages = edge_pages(len);
    unsigned char *map = mmap(NULL, pages + 2 * page, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    ck_assert(map != MAP_FAILED);
    if (pages > 0)
        ck_assert_int_eq(mprotect(map + page, pages, PROT_READ | PROT_WRITE),
                         0);
    return map + page + pages - len;
}

static inline void *edge_copy(const void *bytes, size_t len)
{
    unsigned char *copy = edge_new(len);

    return len > 0 ? memcpy(copy, bytes, len) : copy;
}

/* NULL is allowed. */
static inline void edge_free(void *block, size_t len)
{
    size_t page = edge_pages(1), pages = edge_pages(len);

    if (block)
        munmap((char *)block + len - pages - page, pages + 2 * page);
}
