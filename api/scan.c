#include "api/scan.h"

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
