/* How much may be held and how many may wait: counted before it is taken.
 *
 * One for the process; any thread. What is refused is refused at once, so a
 * request that holds a body never waits for another that does. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct admission {
    size_t bytes_limit;
    size_t queue_limit;
    atomic_size_t bytes;  /* bodies, plans and answers that are held */
    atomic_size_t queued; /* requests that wait for a worker */
};

enum admission_verdict {
    ADMISSION_OK,
    ADMISSION_BUSY,  /* no room now */
    ADMISSION_NEVER, /* more than there is altogether */
};

void admission_init(struct admission *admission, size_t bytes_limit,
                    size_t queue_limit);

/* Would `bytes` fit now, beside the `held` that the same request has? */
enum admission_verdict admission_look(const struct admission *admission,
                                      size_t held, size_t bytes);

/* Takes `bytes` beside the `held` that the same request has already; what is
 * taken is given back with admission_release(). */
enum admission_verdict admission_reserve(struct admission *admission,
                                         size_t held, size_t bytes);
void admission_release(struct admission *admission, size_t bytes);

/* Takes a place in the queue; false when it is full. */
bool admission_enqueue(struct admission *admission);
void admission_dequeue(struct admission *admission);
