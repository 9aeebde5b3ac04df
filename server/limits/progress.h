/* The minimum rate of a body or a reply: slower connections are ended.
 *
 * A client must move 1 KiB/s on the average of a window, whatever the size of
 * its tensor: a deadline by size would grow with the announced length. Under
 * pressure (the memory budget is full, or the connections) the rate doubles
 * with each level, and is judged over the last second: the slowest clients are
 * cut first. Pure; the clock is handed in. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    PROGRESS_RATE = 1 << 10,   /* bytes a second; doubled by pressure */
    PROGRESS_PERIOD_MS = 1000, /* between two calls of progress_check() */
};

/* Zeroed: nothing has been measured. */
struct progress {
    bool started;
    uint64_t from_ms, from_bytes; /* of the window */
    uint64_t last_ms, last_bytes; /* of the last check */
};

/* False if the client is too slow. `moved`: bytes that it has sent or
 * acknowledged, since any time; the first call only takes note of them.
 * `window_ms`: --body-timeout. `pressure`: at most BUDGET_PRESSURE_MAX counts,
 * so that a lasting overload does not cut every client on a slow line. */
bool progress_check(struct progress *progress, uint64_t now_ms, uint64_t moved,
                    uint64_t window_ms, unsigned pressure);
