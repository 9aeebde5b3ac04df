#include "api/lex/comma_index.h"

#include "api/lex/simd.h"

void comma_index_start(struct comma_index *index,
                       const struct number_range *range, size_t first)
{
    *index = (struct comma_index){.range = range,
                                  .words = index->words,
                                  .capacity = index->capacity,
                                  .first = first,
                                  .end = first};
}

void comma_index_append(struct comma_index *index, const char *text, size_t len)
{
    size_t before = index->count;
    size_t at = index->first + before * JSON_SIMD_BLOCK;
    size_t blocks = at < len ? (len - at) / JSON_SIMD_BLOCK : 0;

    if (blocks > index->capacity - before)
        blocks = index->capacity - before;
    if (index->stopped || blocks == 0)
        return;
    json_simd_active()->numbers(index, text, blocks);
    for (size_t i = index->count; i > before; i--)
        if (index->words[i - 1]) {
            index->end = index->first + i * JSON_SIMD_BLOCK -
                         (size_t)__builtin_clzll(index->words[i - 1]);
            break;
        }
}
