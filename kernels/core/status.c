#include "kernels/core/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Removes a UTF-8 sequence that was cut short from the end of `text`. */
static void trim_partial_character(char *text)
{
    size_t len = strlen(text);
    size_t start = len;

    while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
        start--;
    if (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0xC0)
        text[start - 1] = '\0';
}

bool status_fail(struct status *st, enum status_code code, const char *fmt, ...)
{
    va_list args;
    int len;

    st->code = code;
    va_start(args, fmt);
    len = vsnprintf(st->message, sizeof(st->message), fmt, args);
    va_end(args);
    if (len >= (int)sizeof(st->message))
        trim_partial_character(st->message);
    return false;
}
