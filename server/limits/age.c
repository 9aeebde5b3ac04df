#include "server/limits/age.h"

/* Knuth's multiplicative hash: neighbouring ports come far apart. */
static uint64_t scatter(uint64_t number)
{
    return number * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

uint64_t age_end_ms(int64_t seconds, const struct peer *peer, uint64_t now_ms)
{
    uint64_t age_ms = (uint64_t)seconds * 1000;

    if (seconds == 0)
        return 0;
    return now_ms + age_ms - age_ms / 10 +
           scatter(now_ms << 16 | peer->port) % (age_ms / 5 + 1);
}
