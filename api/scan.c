#include "api/scan.h"

int scan_hex4(const char *text)
{
    int value = 0;

    for (int i = 0; i < 4; i++) {
        char c = text[i];
        char letter = (char)(c | 0x20);

        if (scan_is_digit(c))
            value = value * 16 + (c - '0');
        else if (letter >= 'a' && letter <= 'f')
            value = value * 16 + (letter - 'a' + 10);
        else
            return -1;
    }
    return value;
}

const char *scan_quote(const char *text, const char *end)
{
    while (end - text >= SCAN_BLOCK) {
        uint64_t block = scan_load(text);
        uint64_t mask = scan_equal(block, '"') | scan_equal(block, '\\');

        if (mask)
            return text + scan_first(mask);
        text += SCAN_BLOCK;
    }
    while (text < end && *text != '"' && *text != '\\')
        text++;
    return text;
}

const char *scan_string_end(const char *text, const char *end)
{
    for (;;) {
        text = scan_quote(text, end);
        if (text == end)
            return NULL;
        if (*text == '"')
            return text + 1;
        if (end - text < 2)
            return NULL;
        text += 2;
    }
}

const char *scan_array_end(const char *text, const char *end)
{
    size_t depth = 0;

    while (text && text < end) {
        if (end - text >= SCAN_BLOCK) {
            uint64_t block = scan_load(text);
            uint64_t mask = scan_brackets(block) | scan_equal(block, '"');

            if (!mask) {
                text += SCAN_BLOCK;
                continue;
            }
            text += scan_first(mask);
        }
        switch (*text++) {
        case '[':
            depth++;
            break;
        case ']':
            if (--depth == 0)
                return text;
            break;
        case '"':
            text = scan_string_end(text, end);
            break;
        }
    }
    return NULL;
}
