#include "api/base/percent.h"

#include "api/base/digits.h"

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
