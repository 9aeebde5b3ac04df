/* The torture library, preloaded into the daemon: it counts the calls of a
 * class and lets chosen ones fail as the kernel or the C library may. Its
 * driver maps the same file, named by TORTURE_CONTROL; without that variable
 * nothing is counted and nothing fails. Any thread. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum torture_class {
    TORTURE_NONE,
    TORTURE_ALLOC,   /* malloc() and its relatives */
    TORTURE_MAP,     /* mmap(), mremap() */
    TORTURE_RECEIVE, /* bytes from a client */
    TORTURE_SEND,    /* bytes to a client */
    TORTURE_SOCKET,  /* accept4(), socket(), their options and addresses */
    TORTURE_EVENT,   /* epoll, eventfd, poll */
    TORTURE_THREAD,  /* pthread_create() */
    TORTURE_FILE,    /* files and shared memory objects */
    TORTURE_LOG,     /* writes to standard error */
};

/* Calls of one class whose stacks are kept. */
enum { TORTURE_STACKS = 1 << 15 };

/* victim.py has the same layout. The driver writes the first four, `failing`
 * last, while no call fails; the library writes the others. */
struct torture_control {
    atomic_uint failing; /* enum torture_class */
    atomic_uint first;   /* number of the first call that fails, from 1; 0: none
                          * fails, and their stacks are noted */
    atomic_uint count;   /* calls that fail, one after the other */
    atomic_uint variant; /* which of a call's errors, modulo their number */
    atomic_uint failed;
    atomic_uint variants; /* number of errors of the last call that failed */
    atomic_uint calls;    /* of the class `failing`, since the driver wrote 0 */
    char name[36];        /* of the last call that failed */
    /* Of call i + 1 while stacks are noted, else of the first call that failed:
     * torture_stack(). */
    _Atomic uint64_t stacks[TORTURE_STACKS];
};

/* Counts a call. True if it must fail; then errno is one of `errors`, which end
 * with 0. */
bool torture_fails(enum torture_class class, const char *name,
                   const int errors[]);

/* A hash of the return addresses of all callers, each relative to the start of
 * its library: two processes of the same files have the same. */
uint64_t torture_stack(void);

/* The definition of a function that this library hides. */
void *torture_next(const char *name);
