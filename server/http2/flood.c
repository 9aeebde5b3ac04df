#include "server/http2/flood.h"

enum { WHOLE = 1000 }; /* thousandths */

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void flood_init(struct flood *flood, uint64_t resets_a_second, uint64_t now_ms)
{
    *flood = (struct flood){
        .resets_a_second = resets_a_second,
        .resets = resets_a_second * WHOLE,
        .frames = (uint64_t)FLOOD_FRAMES_MAX * WHOLE,
        .filled_ms = now_ms,
    };
}

/* A bucket earns its number a second, so a thousandth of it each ms. */
static void fill(struct flood *flood, uint64_t now_ms)
{
    uint64_t ms = smaller(now_ms - flood->filled_ms, 1000000);

    if (ms == 0)
        return;
    flood->filled_ms = now_ms;
    flood->resets = smaller(flood->resets + ms * flood->resets_a_second,
                            flood->resets_a_second * WHOLE);
    flood->frames = smaller(flood->frames + ms * FLOOD_FRAMES,
                            (uint64_t)FLOOD_FRAMES_MAX * WHOLE);
}

static bool take(uint64_t *bucket)
{
    if (*bucket < WHOLE)
        return false;
    *bucket -= WHOLE;
    return true;
}

bool flood_reset(struct flood *flood, uint64_t now_ms)
{
    fill(flood, now_ms);
    return take(&flood->resets);
}

bool flood_frame(struct flood *flood, uint64_t now_ms)
{
    fill(flood, now_ms);
    return take(&flood->frames);
}

void flood_earn(struct flood *flood)
{
    flood->frames = smaller(flood->frames + (uint64_t)FLOOD_EARNED * WHOLE,
                            (uint64_t)FLOOD_FRAMES_MAX * WHOLE);
}
