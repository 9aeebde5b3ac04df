/* Counters with one writing thread and any number of readers.
 *
 * Because only one thread writes, an increment is a plain load and a plain
 * store: no locked instruction. A reader sees each counter whole, though two
 * counters that belong together may be a moment apart. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* The writing thread only. */
static inline void counter_add(atomic_ullong *counter, uint64_t amount)
{
    uint64_t now = atomic_load_explicit(counter, memory_order_relaxed);

    atomic_store_explicit(counter, now + amount, memory_order_relaxed);
}

static inline uint64_t counter_value(const atomic_ullong *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* Adds `count` counters to the corresponding ones of `total`, which the calling
 * thread writes. */
static inline void counter_merge(atomic_ullong *total,
                                 const atomic_ullong *part, size_t count)
{
    for (size_t i = 0; i < count; i++)
        counter_add(&total[i], counter_value(&part[i]));
}
