#include "server/grpc/framing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t framing_length(const unsigned char bytes[FRAMING_PREFIX])
{
    return (uint32_t)bytes[1] << 24 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 8 | bytes[4];
}

void framing_write(unsigned char bytes[FRAMING_PREFIX], bool compressed,
                   uint32_t length)
{
    bytes[0] = compressed;
    for (int i = 0; i < 4; i++)
        bytes[1 + i] = (unsigned char)(length >> (24 - 8 * i));
}

bool framing_timeout(const char *text, uint64_t *timeout_us)
{
    static const char units[] = "HMSmun";
    static const uint64_t unit_ns[] = {UINT64_C(3600000000000),
                                       UINT64_C(60000000000),
                                       1000000000,
                                       1000000,
                                       1000,
                                       1};
    size_t digits = strspn(text, "0123456789");
    const char *unit;
    uint64_t number, ns;

    if (digits < 1 || digits > 8 || !text[digits] || text[digits + 1])
        return false;
    unit = strchr(units, text[digits]);
    if (!unit)
        return false;
    number = strtoul(text, NULL, 10);
    ns = unit_ns[unit - units];
    /* At most 99999999 hours: 3.6e20 ns would not fit. */
    *timeout_us = ns >= 1000 ? number * (ns / 1000) : number / 1000;
    if (*timeout_us == 0)
        *timeout_us = 1;
    if (*timeout_us > FRAMING_TIMEOUT_MAX_US)
        *timeout_us = 0;
    return true;
}

void framing_escape(const char text[STATUS_MESSAGE_SIZE],
                    char escaped[FRAMING_ESCAPED])
{
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;

        if (byte >= ' ' && byte <= '~' && byte != '%')
            *escaped++ = *text;
        else
            escaped += snprintf(escaped, 4, "%%%02X", byte);
    }
    *escaped = '\0';
}
