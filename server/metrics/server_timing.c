#include "server/metrics/server_timing.h"

#include <string.h>

/* Appends `value` with `digits` digits at least. Not by printf(), which would
 * cost more than the header itself. */
static char *put_number(char *at, uint64_t value, int digits)
{
    char reversed[24];
    int count = 0;

    for (; value > 0 || count < digits; value /= 10)
        reversed[count++] = (char)('0' + value % 10);
    while (count > 0)
        *at++ = reversed[--count];
    return at;
}

static char *put_stage(char *at, const char *name, uint64_t ns)
{
    at = stpcpy(stpcpy(at, name), ";dur=");
    at = put_number(at, ns / 1000000, 1);
    *at++ = '.';
    return put_number(at, ns / 1000 % 1000, 3);
}

void server_timing_print(const struct model_times *times,
                         char text[SERVER_TIMING_SIZE])
{
    char *at = text;
    uint64_t ns;

    for (int i = 0; i < MODEL_STAGES; i++) {
        if (!model_times_stage(times, (enum model_stage)i, &ns))
            continue;
        if (at > text)
            at = stpcpy(at, ", ");
        at = put_stage(at, model_stage_names[i], ns);
    }
    *at = '\0';
}
