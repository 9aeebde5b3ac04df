#include "server/limits/crowd.h"

static unsigned min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

bool crowd_is_near(size_t open, size_t limit)
{
    return open >= limit - limit / CROWD_PARTS;
}

void crowd_update(struct crowd *crowd, size_t open, size_t limit)
{
    if (crowd_is_near(open, limit))
        crowd->level = min(crowd->level + 1, CROWD_MAX_LEVEL);
    else if (crowd->level > 0)
        crowd->level--;
}

/* A limit of less than 16 has one part more than 16ths: at least one connection
 * is closed. */
size_t crowd_excess(const struct crowd *crowd, size_t open, size_t limit)
{
    size_t parts = min(crowd->level, CROWD_MAX_FREE);
    size_t room = (limit * parts + CROWD_PARTS - 1) / CROWD_PARTS;

    if (crowd->level == 0 || !crowd_is_near(open, limit))
        return 0;
    return open + room - limit;
}

uint64_t crowd_age_ms(const struct crowd *crowd, uint64_t limit_ms,
                      unsigned halvings, uint64_t least_ms)
{
    uint64_t age_ms = limit_ms >> min(crowd->level * halvings, 63);

    return age_ms > least_ms ? age_ms : least_ms;
}

unsigned crowd_pressure(const struct crowd *crowd)
{
    return min(crowd->level / 2, 3);
}
