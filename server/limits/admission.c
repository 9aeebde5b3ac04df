#include "server/limits/admission.h"

void admission_init(struct admission *admission, size_t queue_limit)
{
    *admission = (struct admission){.queue_limit = queue_limit};
}

bool admission_enqueue(struct admission *admission)
{
    size_t now = atomic_load_explicit(&admission->queued, memory_order_relaxed);

    do {
        if (now >= admission->queue_limit)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(
        &admission->queued, &now, now + 1, memory_order_relaxed,
        memory_order_relaxed));
    return true;
}

void admission_dequeue(struct admission *admission)
{
    atomic_fetch_sub_explicit(&admission->queued, 1, memory_order_relaxed);
}
