#include "server/metrics/server_timing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What stands before a number; the first of a text begins without ", ". Copied
 * by whole entries: this file runs for every inference, and a third of the
 * header's cost would be its text otherwise. */
enum { START = 12, COMMA = 2 };
static const char starts[MODEL_STAGES][START + 1] = {
    [MODEL_QUEUE] = ", queue;dur=",
    [MODEL_INPUT] = ", read;dur=",
    [MODEL_INFER] = ", move;dur=",
    [MODEL_OUTPUT] = ", write;dur=",
};

/* Milliseconds with three digits behind the point. */
static char *put_ms(char *at, uint64_t us)
{
    uint64_t whole = us / 1000;
    unsigned rest = (unsigned)(us - whole * 1000);

    if (whole < 10)
        *at++ = (char)('0' + whole);
    else
        at += sprintf(at, "%" PRIu64, whole);
    *at++ = '.';
    *at++ = (char)('0' + rest / 100);
    *at++ = (char)('0' + rest / 10 % 10);
    *at++ = (char)('0' + rest % 10);
    return at;
}

/* The two longest names end at the twelfth byte. */
static char *put_start(char *at, enum model_stage stage)
{
    memcpy(at, starts[stage], START);
    return at + START - (starts[stage][START - 1] == '\0');
}

void server_timing_print(const struct model_times *times,
                         char text[SERVER_TIMING_SIZE])
{
    char all[SERVER_TIMING_SIZE + COMMA], *at = all;
    uint64_t ns;

    for (int i = 0; i < MODEL_STAGES; i++)
        if (model_times_stage(times, (enum model_stage)i, &ns))
            at = put_ms(put_start(at, (enum model_stage)i), ns / 1000);
    *at = '\0';
    if (at == all)
        *text = '\0';
    else
        memcpy(text, all + COMMA, (size_t)(at - all) - COMMA + 1);
}
