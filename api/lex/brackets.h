/* Finds the end of a list by the brackets in blocks of 64 bytes. */
#pragma once

#include "api/lex/block.h"

struct brackets_masks {
    uint64_t open, close, quote;
};

/* Counts the brackets of one block; false when the last open one closes in it,
 * *depth is then unchanged. */
static inline bool brackets_count(const struct brackets_masks *m, size_t *depth)
{
    uint64_t both = m->open | m->close;
    size_t open = *depth;

    for (; both; both &= both - 1) {
        open += m->open & both & -both ? 1 : SIZE_MAX;
        if (open == 0)
            return false;
    }
    *depth = open;
    return true;
}

/* json_simd.lists() with the masks of an instruction set. */
LEX_INLINE const char *
brackets_skip(const char *text, const char *end, size_t *depth,
              void (*masks)(const char *text, struct brackets_masks *m))
{
    for (; end - text >= JSON_SIMD_BLOCK; text += JSON_SIMD_BLOCK) {
        struct brackets_masks m;

        block_prefetch(text);
        masks(text, &m);
        if (m.quote)
            break;
        if ((m.open | m.close) && !brackets_count(&m, depth))
            break;
    }
    return text;
}
