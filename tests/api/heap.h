/* An allocator for tests, between the api and libc by the linker's --wrap: it
 * counts allocations, and fails a chosen one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct heap {
    bool on;      /* nothing is counted or fails while it is not */
    long calls;   /* allocations asked for */
    long fail_at; /* the call that fails, from 0; -1: none */
    size_t live;  /* bytes held now that were taken while on */
    size_t peak;
};
extern struct heap heap;

/* Starts counting from nothing. */
void heap_on(long fail_at);
void heap_off(void);
