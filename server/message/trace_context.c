#include "server/message/trace_context.h"

#include <stddef.h>
#include <string.h>

/* Where the fields of a traceparent begin, and the length of version 00. */
enum { TRACE_ID = 3, PARENT_ID = 36, FLAGS = 53, WHOLE = 55 };

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
           is_id(text + PARENT_ID, PARENT_ID_DIGITS) &&
           is_field(text + FLAGS, 2) &&
           (!text[WHOLE] || memcmp(text, "00", 2) != 0);
}

const char *trace_context_id(const char *traceparent)
{
    return traceparent + TRACE_ID;
}
