/* The limits on memory (--max-inflight-bytes) and on queued requests
 * (--max-queue-size). Bytes are reserved before they are allocated.
 *
 * One object for the process; any thread. A reservation fails at once instead
 * of waiting, so that requests with reservations never wait for each other. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct admission {
    size_t bytes_limit;
    size_t queue_limit;
    atomic_size_t bytes;  /* reserved, for bodies, plans and replies */
    atomic_size_t queued; /* requests waiting for a worker */
};

enum admission_verdict {
    ADMISSION_OK,
    ADMISSION_BUSY,  /* does not fit beside the other reservations */
    ADMISSION_NEVER, /* exceeds the limit by itself */
};

void admission_init(struct admission *admission, size_t bytes_limit,
                    size_t queue_limit);

/* The verdict that admission_reserve() would give now. */
enum admission_verdict admission_check(const struct admission *admission,
                                       size_t reserved, size_t bytes);

/* Reserves `bytes` for a request that already has `reserved` bytes. */
enum admission_verdict admission_reserve(struct admission *admission,
                                         size_t reserved, size_t bytes);

/* Gives back `bytes` of successful reservations. */
void admission_release(struct admission *admission, size_t bytes);

/* Counts a request that starts to wait for a worker; false if the queue is
 * full. */
bool admission_enqueue(struct admission *admission);

/* Counts a request that stops waiting. */
void admission_dequeue(struct admission *admission);
