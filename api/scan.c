#include "api/scan.h"

#include "api/wide.h"

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

/* Behind the next bracket or string, or, where there is none, some bytes on;
 * NULL for a string that is not closed. */
static const char *pass(const char *text, const char *end, size_t *depth)
{
    if (end - text >= SCAN_BLOCK) {
        uint64_t block = scan_load(text);
        uint64_t mask = scan_brackets(block) | scan_equal(block, '"');

        if (!mask)
            return text + SCAN_BLOCK;
        text += scan_first(mask);
    }
    switch (*text++) {
    case '[':
        ++*depth;
        break;
    case ']':
        --*depth;
        break;
    case '"':
        return scan_string_end(text, end);
    }
    return text;
}

const char *scan_array_end(const char *text, const char *end)
{
    const ptrdiff_t stretch = 16 * WIDE_BLOCK;
    const struct wide *wide = wide_best();
    const char *wide_from = text + 1;
    size_t depth = 1;

    for (text++; text && text < end;) {
        if (wide && text >= wide_from && end - text >= WIDE_BLOCK) {
            text = wide->lists(text, end, &depth);
            if (end - text < stretch)
                wide = NULL;
            wide_from = text + stretch;
            continue;
        }
        text = pass(text, end, &depth);
        if (depth == 0)
            return text;
    }
    return NULL;
}
