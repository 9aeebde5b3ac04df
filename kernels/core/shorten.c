#include "kernels/core/shorten.h"

#include <stdbool.h>
#include <string.h>

static const char mark[] = "...";

const char *shorten(const char *text, size_t len, char *out, size_t size)
{
    bool fits = len < size;
    size_t end = fits ? len : size - sizeof(mark);

    while (!fits && end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80)
        end--;
    memcpy(out, text, end);
    strcpy(out + end, fits ? "" : mark);
    return out;
}
