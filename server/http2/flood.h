/* What a client may ask of a connection for nothing: streams that it resets at
 * once, and frames that carry no request: PING, SETTINGS, PRIORITY,
 * WINDOW_UPDATE, CONTINUATION, empty DATA, and messages that wait by the
 * thousand.
 *
 * Each costs next to nothing to send and some microseconds to handle. A bucket
 * for each kind fills with time; frames without a request also earn a part of
 * what answered requests deserve, for a busy client sends them in proportion to
 * its requests. Whoever has emptied a bucket is a flood, and its connection is
 * closed. Pure; the clock is handed in. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    FLOOD_FRAMES = 1000,      /* that a second earns */
    FLOOD_FRAMES_MAX = 10000, /* that can be saved */
    FLOOD_EARNED = 10,        /* frames that a request earns */
};

struct flood {
    uint64_t resets_a_second; /* and as many at once */
    uint64_t resets, frames;  /* that are left, in thousandths */
    uint64_t filled_ms;
};

/* Full buckets. */
void flood_init(struct flood *flood, uint64_t resets_a_second, uint64_t now_ms);

/* Count a stream that was reset, a frame without a request: false for a flood.
 */
bool flood_reset(struct flood *flood, uint64_t now_ms);
bool flood_frame(struct flood *flood, uint64_t now_ms);

/* A request has been answered, or 64 KiB of data have come or gone. */
void flood_earn(struct flood *flood);
