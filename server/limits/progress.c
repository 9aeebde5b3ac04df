#include "server/limits/progress.h"

#include "server/limits/budget.h"

/* True if the bytes since `from_bytes` are enough for the time; the counts may
 * go back a little, since a transport's overhead is in one and not in the
 * other. */
static bool suffices(uint64_t from_bytes, uint64_t moved, uint64_t ms,
                     unsigned pressure)
{
    uint64_t bytes = moved > from_bytes ? moved - from_bytes : 0;

    return bytes >= ms * ((uint64_t)PROGRESS_RATE << pressure) / 1000;
}

/* A window ends early when enough for all of it was moved: a client that stops
 * is then measured from about the time when it stopped. */
bool progress_check(struct progress *progress, uint64_t now_ms, uint64_t moved,
                    uint64_t window_ms, unsigned pressure)
{
    bool fast = true;

    if (!progress->started) {
        *progress = (struct progress){true, now_ms, moved, now_ms, moved};
        return true;
    }
    if (pressure > BUDGET_PRESSURE_MAX)
        pressure = BUDGET_PRESSURE_MAX;
    if (pressure > 0)
        fast = suffices(progress->last_bytes, moved, now_ms - progress->last_ms,
                        pressure);
    if (suffices(progress->from_bytes, moved, window_ms, 0)) {
        progress->from_ms = now_ms;
        progress->from_bytes = moved;
    } else if (now_ms - progress->from_ms >= window_ms) {
        fast = false;
    }
    progress->last_ms = now_ms;
    progress->last_bytes = moved;
    return fast;
}
