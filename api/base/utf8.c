#include "api/base/utf8.h"

#include <stdint.h>

/* Length by the first byte; 0 for a byte that starts no character. */
static size_t announced(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xC0 || first >= 0xF8)
        return 0;
    return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

size_t utf8_length(const unsigned char *text, size_t len)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t want = announced(text[0]);
    uint32_t c = text[0] & (0x7Fu >> want);

    if (want < 2)
        return want;
    if (want > len)
        return 0;
    for (size_t i = 1; i < want; i++) {
        if ((text[i] & 0xC0) != 0x80)
            return 0;
        c = c << 6 | (text[i] & 0x3F);
    }
    return c >= least[want] && c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF)
               ? want
               : 0;
}
