#include "server/grpc/framing.h"

#include <string.h>

struct framing_prefix framing_read(const unsigned char bytes[FRAMING_PREFIX])
{
    return (struct framing_prefix){
        .compressed = bytes[0] == 1,
        .valid = bytes[0] <= 1,
        .length = (uint32_t)bytes[1] << 24 | (uint32_t)bytes[2] << 16 |
                  (uint32_t)bytes[3] << 8 | bytes[4],
    };
}

void framing_write(unsigned char bytes[FRAMING_PREFIX], bool compressed,
                   uint32_t length)
{
    bytes[0] = compressed;
    for (int i = 0; i < 4; i++)
        bytes[1 + i] = (unsigned char)(length >> (24 - 8 * i));
}

/* Nanoseconds; 0: there is no such unit. */
static uint64_t unit_ns(char unit)
{
    switch (unit) {
    case 'H':
        return UINT64_C(3600000000000);
    case 'M':
        return UINT64_C(60000000000);
    case 'S':
        return 1000000000;
    case 'm':
        return 1000000;
    case 'u':
        return 1000;
    case 'n':
        return 1;
    default:
        return 0;
    }
}

bool framing_timeout(const char *text, uint64_t *timeout_us)
{
    size_t digits = strspn(text, "0123456789");
    uint64_t number = 0, unit;

    if (digits < 1 || digits > 8)
        return false;
    unit = unit_ns(text[digits]);
    if (unit == 0 || text[digits + 1] != '\0')
        return false;
    for (size_t i = 0; i < digits; i++)
        number = 10 * number + (uint64_t)(text[i] - '0');
    /* At most 99999999 hours: 3.6e20 ns would not fit. */
    *timeout_us = unit >= 1000 ? number * (unit / 1000) : number / 1000;
    if (*timeout_us == 0)
        *timeout_us = 1;
    if (*timeout_us > FRAMING_TIMEOUT_MAX_US)
        *timeout_us = 0;
    return true;
}

/* Bytes of the character that begins with this byte of UTF-8. */
static size_t character(unsigned char first)
{
    if (first < 0xc0)
        return 1;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

static bool is_plain(unsigned char byte)
{
    return byte >= ' ' && byte <= '~' && byte != '%';
}

/* The escaped form of `len` bytes; returns its length, 0 if it does not fit. */
static size_t escape(const char *text, size_t len, char *escaped, size_t size)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t at = 0;

    for (size_t i = 0; i < len; i++) {
        unsigned char byte = (unsigned char)text[i];

        if (at + (is_plain(byte) ? 1 : 3) > size)
            return 0;
        if (is_plain(byte)) {
            escaped[at++] = text[i];
            continue;
        }
        escaped[at++] = '%';
        escaped[at++] = digits[byte >> 4];
        escaped[at++] = digits[byte & 15];
    }
    return at;
}

size_t framing_escape(const char *text, char *escaped, size_t size)
{
    size_t at = 0, len = strlen(text), part, written;

    for (size_t i = 0; i < len; i += part) {
        part = character((unsigned char)text[i]);
        if (part > len - i)
            part = len - i;
        written = escape(text + i, part, escaped + at, size - at);
        if (written == 0)
            break;
        at += written;
    }
    return at;
}
