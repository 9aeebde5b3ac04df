#include "api/lex/string.h"

#include <string.h>

#include "api/base/utf8.h"
#include "api/lex/scan.h"

static bool is_high(int unit)
{
    return unit >= 0xD800 && unit <= 0xDBFF;
}

static bool is_low(int unit)
{
    return unit >= 0xDC00 && unit <= 0xDFFF;
}

/* The value of the \uXXXX at `text`, or -1. */
static int read_unit(const char *text, const char *end)
{
    if (end - text < 6 || text[0] != '\\' || text[1] != 'u')
        return -1;
    return scan_hex4(text + 2);
}

/* Length of the escape at `text`, or 0 when it is not valid. */
static size_t check_escape(const char *text, const char *end, const char **why)
{
    int unit;

    *why = "an escape is not valid";
    if (end - text < 2)
        return 0;
    if (text[1] != 'u')
        return memchr("\"\\/bfnrt", text[1], 8) ? 2 : 0;
    unit = read_unit(text, end);
    if (unit < 0)
        return 0;
    *why = "a surrogate has no partner";
    if (is_high(unit))
        return is_low(read_unit(text + 6, end)) ? 12 : 0;
    return is_low(unit) ? 0 : 6;
}

/* The first byte inside a string that is a quote, a backslash, a control
 * character or not ASCII; `end` when there is none. */
static const char *skip_plain(const char *text, const char *end)
{
    while (end - text >= SCAN_BLOCK) {
        uint64_t block = scan_load(text);
        uint64_t mask = scan_equal(block, '"') | scan_equal(block, '\\') |
                        scan_below(block, ' ') | (block & SCAN_TOPS);

        if (mask)
            return text + scan_first(mask);
        text += SCAN_BLOCK;
    }
    while (text < end && *text != '"' && *text != '\\' &&
           (unsigned char)(*text - ' ') < 0x80 - ' ')
        text++;
    return text;
}

bool string_check(const char **text, const char *end, const char **why)
{
    const char *at = *text + 1;
    size_t step = 1;

    for (; step > 0; at += step) {
        at = skip_plain(at, end);
        if (at == end) {
            *why = "a string is not closed";
            break;
        }
        if (*at == '"') {
            *text = at + 1;
            return true;
        }
        if (*at == '\\') {
            step = check_escape(at, end, why);
        } else if ((unsigned char)*at < ' ') {
            *why = "a control character in a string";
            step = 0;
        } else {
            *why = "a string is not UTF-8";
            step = utf8_length((const unsigned char *)at, (size_t)(end - at));
        }
    }
    *text = at;
    return false;
}

static size_t write_utf8(unsigned char *out, unsigned long c)
{
    if (c < 0x80) {
        out[0] = (unsigned char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (unsigned char)(0xC0 | c >> 6);
        out[1] = (unsigned char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (unsigned char)(0xE0 | c >> 12);
        out[1] = (unsigned char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (unsigned char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (unsigned char)(0xF0 | c >> 18);
    out[1] = (unsigned char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (unsigned char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (unsigned char)(0x80 | (c & 0x3F));
    return 4;
}

static unsigned char plain_escape(char c)
{
    switch (c) {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return (unsigned char)c;
    }
}

/* Decodes the escape at *text and moves *text after it; returns the length. */
static size_t decode_escape(const char **text, unsigned char *out)
{
    unsigned long high, low;

    if ((*text)[1] != 'u') {
        *out = plain_escape((*text)[1]);
        *text += 2;
        return 1;
    }
    high = (unsigned long)scan_hex4(*text + 2);
    *text += 6;
    if (!is_high((int)high))
        return write_utf8(out, high);
    low = (unsigned long)scan_hex4(*text + 2);
    *text += 6;
    return write_utf8(out, 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
}

size_t string_decode(const char **text, const char *end, unsigned char *out)
{
    const char *at = *text + 1;
    size_t len = 0;

    for (;;) {
        const char *stop = scan_quote(at, end);

        memcpy(out + len, at, (size_t)(stop - at));
        len += (size_t)(stop - at);
        at = stop;
        if (*at == '"')
            break;
        len += decode_escape(&at, out + len);
    }
    *text = at + 1;
    return len;
}
