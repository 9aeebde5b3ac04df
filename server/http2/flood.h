/* Limits work that a client causes for nothing: streams that it resets at once,
 * and frames that bring no request further, whatever their type: PING,
 * SETTINGS, PRIORITY, WINDOW_UPDATE, CONTINUATION, DATA without data, frames on
 * closed streams, frames of unknown types.
 *
 * Each costs next to nothing to send and some microseconds to handle. A bucket
 * for each kind fills with time; frames without a request also earn a part of
 * what answered requests deserve, for a busy client sends them in proportion to
 * its requests. A connection whose bucket is empty is a flood, and is closed.
 *
 * nghttp2 does not report frames that it ignores. So all frames are counted
 * where they are received, and those that are of use are taken off again. Pure;
 * the clock is handed in. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FLOOD_FRAMES = 1000,      /* that a second earns */
    FLOOD_FRAMES_MAX = 10000, /* that can be saved */
    FLOOD_EARNED = 10, /* frames that a request earns, and DATA that is sent */
    /* Frames that a request with a refused body earns: a client may send as
     * many in a window of 1 MiB before it reads the refusal. */
    FLOOD_REFUSED = 100,
    FLOOD_BYTES = 32 << 10, /* a longer frame counts as several */
};

struct flood {
    uint64_t resets_a_second; /* and as many at once */
    uint64_t resets, frames;  /* that are left, in thousandths */
    uint64_t filled_ms;

    /* The frame whose bytes come. */
    unsigned head;    /* bytes of its head that have come */
    uint32_t length;  /* of its payload, as far as the head tells it */
    size_t payload;   /* bytes that are still to come */
    int64_t unjudged; /* frames without use since flood_judge() */
    size_t earned;    /* bytes of data that no frames were earned for yet */
    int64_t reported; /* what the frame counts that nghttp2 has reported */
};

/* Full buckets, before the first byte: the client's preface. */
void flood_init(struct flood *flood, uint64_t resets_a_second, uint64_t now_ms);

/* Counts a stream that was reset: false for a flood. */
bool flood_reset(struct flood *flood, uint64_t now_ms);

/* Counts the frames whose heads end in these bytes, the next ones of the
 * connection. */
void flood_scan(struct flood *flood, const void *data, size_t len);

/* A frame of this length begins; it is of use, which may be reported twice. */
void flood_begin(struct flood *flood, size_t length);
void flood_progress(struct flood *flood);

/* False if the counted frames, less those of use, are a flood. */
bool flood_judge(struct flood *flood, uint64_t now_ms);

/* The client may send so many more frames: a request has been answered, or a
 * DATA frame was sent, which it answers with two of WINDOW_UPDATE, however
 * short its windows have made it, and measures with PING. */
void flood_earn(struct flood *flood, uint64_t frames);

/* Data was received: its client measures with PING. 64 KiB earn as much as a
 * request. */
void flood_earn_data(struct flood *flood, size_t len);
