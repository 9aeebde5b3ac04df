/* The limit on queued requests (--max-queue-size). One object for the process;
 * any thread. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct admission {
    size_t queue_limit;
    atomic_size_t queued; /* requests waiting for a worker */
};

void admission_init(struct admission *admission, size_t queue_limit);

/* Counts a request that starts to wait for a worker; false if the queue is
 * full. */
bool admission_enqueue(struct admission *admission);

/* Counts a request that stops waiting. */
void admission_dequeue(struct admission *admission);
