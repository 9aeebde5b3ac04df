#include "api/base/percent.h"

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool percent_decode(const char *text, size_t len, char *out, size_t size,
                    size_t *out_len)
{
    *out_len = 0;
    for (size_t i = 0; i < len; i++) {
        int byte = (unsigned char)text[i];

        if (byte == '%') {
            if (i + 2 >= len || hex_digit(text[i + 1]) < 0 ||
                hex_digit(text[i + 2]) < 0)
                return false;
            byte = hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]);
            i += 2;
        }
        if (byte == 0 || *out_len == size)
            return false;
        out[(*out_len)++] = (char)byte;
    }
    return true;
}
