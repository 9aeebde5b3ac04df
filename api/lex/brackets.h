/* Where a list ends, by the brackets in blocks of 64 bytes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "api/lex/simd.h"

struct wide_list_masks {
    uint64_t open, close, quote;
};

/* Follows the brackets of one block; false when the last one closes in it. */
static inline bool wide_brackets(const struct wide_list_masks *m, size_t *depth)
{
    uint64_t both = m->open | m->close;
    size_t level = *depth;

    for (; both; both &= both - 1) {
        level += m->open & both & -both ? 1 : SIZE_MAX;
        if (level == 0)
            return false;
    }
    *depth = level;
    return true;
}

static inline __attribute__((always_inline)) const char *
wide_lists(const char *text, const char *end, size_t *depth,
           void (*masks)(const char *text, struct wide_list_masks *m))
{
    for (; end - text >= JSON_SIMD_BLOCK; text += JSON_SIMD_BLOCK) {
        struct wide_list_masks m;

        wide_foresee(text);
        masks(text, &m);
        if (m.quote)
            break;
        if ((m.open | m.close) && !wide_brackets(&m, depth))
            break;
    }
    return text;
}
