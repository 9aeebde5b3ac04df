#include "kernels/core/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernels/core/shorten.h"

bool status_fail(struct status *st, enum status_code code, const char *fmt, ...)
{
    char text[2 * STATUS_MESSAGE_SIZE];
    va_list args;

    st->code = code;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    shorten(text, strlen(text), st->message, sizeof(st->message));
    return false;
}
