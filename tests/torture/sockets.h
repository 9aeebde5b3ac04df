/* What the library knows of descriptors, and short I/O. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>

enum torture_kind {
    TORTURE_OTHER, /* an eventfd, a pipe: its calls never fail */
    TORTURE_STREAM,
    TORTURE_DATA, /* a file or a shared memory object */
};

void torture_note(int fd, enum torture_kind kind);
enum torture_kind torture_kind_of(int fd);

/* Remembers the set of an edge-triggered descriptor. */
void torture_note_epoll(int set, int fd, const struct epoll_event *event);

/* Keeps errno. Makes the kernel report `fd` again if it is ready. An
 * edge-triggered socket of which less was taken than it has is not reported
 * otherwise, and its owner may take a short count for its end: epoll(7). */
void torture_rearm(int fd);

/* How much of `size` bytes a call on `fd` moves: 0 if it is to fail, with errno
 * set. Environment: TORTURE_IO=one moves a byte at a time, of the first 2 KiB
 * of a connection, then a random number; few moves a random number, and fails
 * with EAGAIN or EINTR now and then, but not where the kernel would not: a
 * short message fits an empty socket. Another value ends the process with 99.
 * TORTURE_SEED begins the random numbers. */
size_t torture_share(int fd, bool receives, size_t size);

/* The value of a socket option that is set. With short I/O a socket is readable
 * from one byte on: one that has fewer than SO_RCVLOWAT left, because less was
 * taken than it had, would not be reported again. */
const void *torture_option(int level, int name, const void *value);
