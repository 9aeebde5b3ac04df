/* Monotonic time, for durations and deadlines. Any thread. */
#pragma once

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_now_us(void)
{
    return clock_now_ns() / 1000;
}

static inline uint64_t clock_now_ms(void)
{
    return clock_now_ns() / 1000000;
}
