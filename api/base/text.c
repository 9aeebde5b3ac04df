#include "api/base/text.h"

/* Length by the first byte; 0 for a byte that starts no character. */
static size_t announced(unsigned char first)
{
    if (first < 0xC2)
        return first < 0x80;
    return first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
}

/* The second byte also excludes overlong forms, surrogates and values past
 * U+10FFFF. */
static bool second_fits(unsigned char first, unsigned char second)
{
    unsigned char least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    unsigned char most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;

    return second >= least && second <= most;
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
