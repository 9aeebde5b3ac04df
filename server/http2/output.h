/* The bytes that a connection is about to send: short frames are copied, data
 * is sent from where it lies. Pure; the caller sends. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

enum {
    OUTPUT_PARTS = 144,      /* 1 MiB in frames of 16 KiB, and some more */
    OUTPUT_COPIED = 4 << 10, /* bytes of frames that are copied */
    /* Bytes that are collected for one system call: a reply of 1 MiB with what
     * surrounds it. Each call wakes a client that waits, on another core: with
     * four calls 1 MiB took a fifth more processor time. More lets a small
     * reply wait longer behind a large one. */
    OUTPUT_BYTES = (1 << 20) + (64 << 10),
};

struct output {
    struct iovec parts[OUTPUT_PARTS];
    size_t *unsent[OUTPUT_PARTS]; /* of each part: the counter of its unsent
                                   * bytes, or NULL */
    size_t first, count;          /* parts that are not sent yet */
    size_t bytes;                 /* in them */
    bool full;                    /* send first, then go on */
    size_t copied_len;
    unsigned char copied[OUTPUT_COPIED];
};

/* True if nothing waits to be sent. */
static inline bool output_is_empty(const struct output *output)
{
    return output->first == output->count;
}

/* Adds bytes that are copied or, where there is no space for that, borrowed
 * until they are sent: the output is full then. There is space for one such
 * part whenever the output is not full. */
void output_copy(struct output *output, const void *data, size_t len);

/* True if a frame of `parts` borrowed parts behind `head` copied bytes fits;
 * else the output is full. */
bool output_fits(struct output *output, size_t parts, size_t head);

/* Adds bytes that stay where they are until they are sent. Adds their number to
 * *unsent, unless that is NULL, and takes it off again when they were sent. */
void output_borrow(struct output *output, const void *data, size_t len,
                   size_t *unsent);

/* The first `sent` bytes were sent. Calls `on_sent` for each counter that is 0
 * again. */
void output_advance(struct output *output, size_t sent,
                    void (*on_sent)(size_t *unsent));
