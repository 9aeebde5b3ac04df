#include "server/http2/flood.h"

#include "kernels/core/size.h"

enum {
    WHOLE = 1000, /* thousandths */
    PREFACE = 24, /* bytes in front of the first frame */
    HEAD = 9,
    HEAD_LENGTH = 3,         /* of them, the length of the payload */
    EARNING_DATA = 64 << 10, /* bytes */
};

void flood_init(struct flood *flood, uint64_t resets_a_second, uint64_t now_ms)
{
    *flood = (struct flood){
        .resets_a_second = resets_a_second,
        .resets = resets_a_second * WHOLE,
        .frames = (uint64_t)FLOOD_FRAMES_MAX * WHOLE,
        .filled_ms = now_ms,
        .payload = PREFACE,
    };
}

/* A bucket earns its number a second, so a thousandth of it each ms. */
static void fill(struct flood *flood, uint64_t now_ms)
{
    uint64_t ms = size_min(now_ms - flood->filled_ms, 1000000);

    flood->filled_ms = now_ms;
    flood->resets = size_min(flood->resets + ms * flood->resets_a_second,
                             flood->resets_a_second * WHOLE);
    flood->frames = size_min(flood->frames + ms * FLOOD_FRAMES,
                             (uint64_t)FLOOD_FRAMES_MAX * WHOLE);
}

static bool take(uint64_t *bucket, uint64_t count)
{
    if (*bucket < count * WHOLE)
        return false;
    *bucket -= count * WHOLE;
    return true;
}

void flood_earn(struct flood *flood, uint64_t frames)
{
    flood->frames = size_min(flood->frames + frames * WHOLE,
                             (uint64_t)FLOOD_FRAMES_MAX * WHOLE);
}

bool flood_reset(struct flood *flood, uint64_t now_ms)
{
    fill(flood, now_ms);
    return take(&flood->resets, 1);
}

static int64_t cost(size_t length)
{
    return 1 + (int64_t)(length / FLOOD_BYTES);
}

/* Bytes of a frame's head; returns how many. */
static size_t read_head(struct flood *flood, const unsigned char *bytes,
                        size_t len)
{
    size_t part = size_min(HEAD - flood->head, len);

    for (size_t at = 0; at < part && flood->head + at < HEAD_LENGTH; at++)
        flood->length = flood->length << 8 | bytes[at];
    flood->head += (unsigned)part;
    if (flood->head == HEAD) {
        flood->payload = flood->length;
        flood->unjudged += cost(flood->length);
        flood->head = flood->length = 0;
    }
    return part;
}

void flood_scan(struct flood *flood, const void *data, size_t len)
{
    const unsigned char *bytes = data;
    size_t part;

    for (; len > 0; bytes += part, len -= part) {
        if (flood->payload == 0) {
            part = read_head(flood, bytes, len);
            continue;
        }
        part = size_min(flood->payload, len);
        flood->payload -= part;
    }
}

void flood_begin(struct flood *flood, size_t length)
{
    flood->reported = cost(length);
}

void flood_progress(struct flood *flood)
{
    flood->unjudged -= flood->reported;
    flood->reported = 0;
}

/* The head of a frame may come before what makes it one of use. */
bool flood_judge(struct flood *flood, uint64_t now_ms)
{
    int64_t count = flood->unjudged;

    flood->unjudged = 0;
    if (count <= 0) {
        flood_earn(flood, (uint64_t)-count);
        return true;
    }
    fill(flood, now_ms);
    return take(&flood->frames, (uint64_t)count);
}

void flood_earn_data(struct flood *flood, size_t len)
{
    flood->earned += len;
    if (flood->earned < EARNING_DATA)
        return;
    flood->earned = 0;
    flood_earn(flood, FLOOD_EARNED);
}
