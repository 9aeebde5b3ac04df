#include "api/lex/scan.h"

#include "api/lex/simd.h"

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

/* The byte after the next bracket or string, or after one block when there is
 * neither; NULL for a string that is not closed. */
static const char *skip_one(const char *text, const char *end, size_t *depth)
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

const char *scan_list_end(const char *text, const char *end)
{
    const ptrdiff_t distance = 16 * (ptrdiff_t)JSON_SIMD_BLOCK;
    const struct json_simd *simd = json_simd_active();
    const char *block = text; /* from here on blocks are tried again */
    size_t depth = 1;

    while (text && text < end) {
        if (text >= block && end - text >= distance) {
            text = simd->lists(text, end, &depth);
            block = end - text < distance ? end : text + distance;
            continue;
        }
        text = skip_one(text, end, &depth);
        if (depth == 0)
            return text;
    }
    return NULL;
}
