/* W3C Trace Context, level 1: the request header `traceparent`,
 *
 *     VERSION-TRACE_ID-PARENT_ID-FLAGS   2, 32, 16 and 2 lower-case hex digits
 *
 * flipd records no spans: the trace id stands in its log. */
#pragma once

#include <stdbool.h>

enum { TRACE_ID_DIGITS = 32, PARENT_ID_DIGITS = 16 };

/* False if the level says that the text is to be ignored. Of a version that is
 * not known yet, the fields of version 00 are read, and what follows them is
 * ignored. */
bool trace_context_is_valid(const char *traceparent);

/* The trace id of a valid traceparent: TRACE_ID_DIGITS long, a part of it. */
const char *trace_context_id(const char *traceparent);
