#include "server/message/trace_context.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Where the fields of a traceparent begin, and the length of version 00. */
enum { TRACE_ID = 3, PARENT_ID = 36, FLAGS = 53, WHOLE = 55 };

enum {
    SAMPLED = 1,         /* flags: the caller may have recorded the trace */
    RANDOM_TRACE_ID = 2, /* the trace id's last 7 bytes are random */
};

static const char digits[] = "0123456789abcdef";

/* True if `len` lower-case hex digits stand here, and then the end or '-'. */
static bool is_field(const char *text, size_t len)
{
    return strspn(text, digits) == len && (!text[len] || text[len] == '-');
}

/* The same, and one of them is not 0. */
static bool is_id(const char *text, size_t len)
{
    return is_field(text, len) && strspn(text, "0") < len;
}

bool trace_context_is_valid(const char *text)
{
    return strnlen(text, WHOLE) == WHOLE && is_field(text, 2) &&
           memcmp(text, "ff", 2) != 0 &&
           is_id(text + TRACE_ID, TRACE_ID_DIGITS) &&
           is_id(text + PARENT_ID, SPAN_ID_SIZE - 1) &&
           is_field(text + FLAGS, 2) &&
           (!text[WHOLE] || memcmp(text, "00", 2) != 0);
}

const char *trace_context_id(const char *traceparent)
{
    return traceparent + TRACE_ID;
}

/* The four flags that are known to be there. */
static int flags_of(const char *traceparent)
{
    return (int)(strchr(digits, traceparent[FLAGS + 1]) - digits);
}

bool trace_context_is_sampled(const char *traceparent)
{
    return flags_of(traceparent) & SAMPLED;
}

void trace_context_response(const char *traceparent, const char *span,
                            char text[TRACE_RESPONSE_SIZE])
{
    int flags = flags_of(traceparent) & RANDOM_TRACE_ID;

    snprintf(text, TRACE_RESPONSE_SIZE, "00-%.*s-%.16s-%02x", TRACE_ID_DIGITS,
             trace_context_id(traceparent), span, (unsigned)flags);
}

/* One to one: different numbers stay different (the finalizer of splitmix64).
 */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

void trace_context_span(uint64_t series, uint64_t number, char id[SPAN_ID_SIZE])
{
    uint64_t span = mix(mix(series) + number);

    /* All zeros are no id. */
    snprintf(id, SPAN_ID_SIZE, "%016" PRIx64, span ? span : 1);
}
