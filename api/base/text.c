#include "api/base/text.h"

/* Length by the first byte; 0 for a byte that starts no character. */
static size_t announced(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xC2 && first <= 0xDF)
        return 2;
    if (first >= 0xE0 && first <= 0xEF)
        return 3;
    if (first >= 0xF0 && first <= 0xF4)
        return 4;
    return 0;
}

/* The second byte also excludes overlong forms, surrogates and values past
 * U+10FFFF. */
static bool second_fits(unsigned char first, unsigned char second)
{
    switch (first) {
    case 0xE0:
        return second >= 0xA0 && second <= 0xBF;
    case 0xED:
        return second >= 0x80 && second <= 0x9F;
    case 0xF0:
        return second >= 0x90 && second <= 0xBF;
    case 0xF4:
        return second >= 0x80 && second <= 0x8F;
    default:
        return second >= 0x80 && second <= 0xBF;
    }
}

size_t utf8_length(const unsigned char *text, size_t len)
{
    size_t want = announced(text[0]);

    if (want < 2)
        return want;
    if (want > len || !second_fits(text[0], text[1]))
        return 0;
    for (size_t i = 2; i < want; i++)
        if ((text[i] & 0xC0) != 0x80)
            return 0;
    return want;
}

bool percent_decode(const char *text, size_t len, char *out, size_t size,
                    size_t *out_len)
{
    *out_len = 0;
    for (size_t i = 0; i < len; i++) {
        int byte = (unsigned char)text[i];

        if (byte == '%') {
            if (i + 2 >= len || digits_hex(text[i + 1]) < 0 ||
                digits_hex(text[i + 2]) < 0)
                return false;
            byte = digits_hex(text[i + 1]) * 16 + digits_hex(text[i + 2]);
            i += 2;
        }
        if (byte == 0 || *out_len == size)
            return false;
        out[(*out_len)++] = (char)byte;
    }
    return true;
}
