#include "kernels/core/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *shorten(const char *text, size_t len, char *out, size_t size)
{
    static const char mark[] = "...";
    bool fits = len < size;
    size_t end = fits ? len : size - sizeof(mark);

    while (!fits && end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80)
        end--;
    memcpy(out, text, end);
    strcpy(out + end, fits ? "" : mark);
    return out;
}

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
