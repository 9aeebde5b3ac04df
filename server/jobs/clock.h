/* Monotonic time, for durations and deadlines. Any thread. */
#pragma once

#include <stdint.h>

uint64_t clock_now_us(void);
uint64_t clock_now_ns(void);
