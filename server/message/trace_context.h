/* W3C Trace Context, level 1: the request header `traceparent`,
 *
 *     VERSION-TRACE_ID-PARENT_ID-FLAGS   2, 32, 16 and 2 lower-case hex digits
 *
 * and `traceresponse`, its answer in the draft of level 2, which has the id of
 * the callee's operation in the place of PARENT_ID. flipd records no spans: the
 * trace id stands in its log and in the exemplars of its metrics. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    TRACE_ID_DIGITS = 32,
    SPAN_ID_SIZE = 17,        /* of an operation's id as text, with its NUL */
    TRACE_RESPONSE_SIZE = 56, /* of a traceresponse, the same */
};

/* False if the level says that the text is to be ignored. Of a version that is
 * not known yet, the fields of version 00 are read, and what follows them is
 * ignored. */
bool trace_context_is_valid(const char *traceparent);

/* The next three take a valid traceparent. The trace id, which is
 * TRACE_ID_DIGITS long, is a part of it. */
const char *trace_context_id(const char *traceparent);

/* Whether the caller may have recorded it. */
bool trace_context_is_sampled(const char *traceparent);

/* `span` is the id of this operation. Of the flags, only the one that describes
 * the trace id itself is given back: "sampled" would promise a span. */
void trace_context_response(const char *traceparent, const char *span,
                            char text[TRACE_RESPONSE_SIZE]);

/* The id of an operation: `series` is a random number of the process, `number`
 * counts its operations. The ids of a series differ. */
void trace_context_span(uint64_t series, uint64_t number,
                        char id[SPAN_ID_SIZE]);
