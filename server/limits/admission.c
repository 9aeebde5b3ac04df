#include "server/limits/admission.h"

void admission_init(struct admission *admission, size_t bytes_limit,
                    size_t queue_limit)
{
    *admission = (struct admission){.bytes_limit = bytes_limit,
                                    .queue_limit = queue_limit};
}

/* Adds, unless the sum exceeds the limit. The counter never exceeds it, not
 * even for a moment: otherwise a large request that is refused could cause a
 * smaller one, which fits, to be refused too. */
static bool add_below(atomic_size_t *counter, size_t amount, size_t limit)
{
    size_t now = atomic_load_explicit(counter, memory_order_relaxed);

    do {
        if (amount > limit || now > limit - amount)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(counter, &now, now + amount,
                                                    memory_order_relaxed,
                                                    memory_order_relaxed));
    return true;
}

enum admission_verdict admission_check(const struct admission *admission,
                                       size_t reserved, size_t bytes)
{
    size_t limit = admission->bytes_limit;
    size_t now = atomic_load_explicit(&admission->bytes, memory_order_relaxed);

    if (reserved > limit || bytes > limit - reserved)
        return ADMISSION_NEVER;
    return now > limit || bytes > limit - now ? ADMISSION_BUSY : ADMISSION_OK;
}

enum admission_verdict admission_reserve(struct admission *admission,
                                         size_t reserved, size_t bytes)
{
    enum admission_verdict verdict =
        admission_check(admission, reserved, bytes);

    if (verdict == ADMISSION_OK &&
        !add_below(&admission->bytes, bytes, admission->bytes_limit))
        return ADMISSION_BUSY;
    return verdict;
}

void admission_release(struct admission *admission, size_t bytes)
{
    atomic_fetch_sub_explicit(&admission->bytes, bytes, memory_order_relaxed);
}

bool admission_enqueue(struct admission *admission)
{
    return add_below(&admission->queued, 1, admission->queue_limit);
}

void admission_dequeue(struct admission *admission)
{
    atomic_fetch_sub_explicit(&admission->queued, 1, memory_order_relaxed);
}
