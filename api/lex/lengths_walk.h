/* The loop over the blocks of a list of numbers that records the length of
 * each. Each instruction set includes it with its own functions. */
#pragma once

#include "api/lex/block.h"
#include "api/lex/token_lengths.h"

/* Stores the distance of each comma of a block from the comma before it, for
 * the first one from `last`, an index below 0 in an earlier block. May write
 * JSON_SIMD_BLOCK bytes. */
typedef void (*lengths_store_fn)(unsigned char *lens, uint64_t commas,
                                 int64_t last);

/* The index of the last comma, relative to the next block. */
LEX_INLINE int64_t lengths_last(uint64_t commas, int64_t last)
{
    return commas ? -1 - __builtin_clzll(commas) : last - JSON_SIMD_BLOCK;
}

/* Commas before the first violation or white space, which ends the record. */
LEX_INLINE uint64_t lengths_common(const struct block_tokens *found,
                                   uint64_t wrong)
{
    uint64_t others = wrong | found->spaces;

    return others ? found->commas & ((others & -others) - 1) : found->commas;
}

/* A comma that is further back may be more than UINT8_MAX bytes before the
 * first comma of the next block. */
enum { LENGTHS_FARTHEST = UINT8_MAX - (JSON_SIMD_BLOCK - 1) };

/* Where lengths are stored. */
struct lengths_out {
    unsigned char *next;
    const unsigned char *full; /* a block's lengths must not start after it */
    int64_t last;              /* the last comma, relative to the block */
};

/* Handles blocks of common text for as long as lengths_may_go_on(), and stops
 * before the first other block. */
typedef void (*lengths_hot_loop_fn)(struct block_walk *w,
                                    struct lengths_out *out);

LEX_INLINE bool lengths_may_go_on(const struct block_walk *w,
                                  const struct lengths_out *out)
{
    return w->at < w->stop && out->next <= out->full &&
           out->last >= -LENGTHS_FARTHEST;
}

/* Records the commas of a block and goes to the next one. */
LEX_INLINE void lengths_end_block(struct block_walk *w, struct lengths_out *out,
                                  uint64_t commas, lengths_store_fn store)
{
    store(out->next, commas, out->last);
    out->next += __builtin_popcountll(commas);
    out->last = lengths_last(commas, out->last);
    w->at += JSON_SIMD_BLOCK;
}

static inline struct block_walk lengths_walk_from(struct token_stream *s,
                                                  const char *text, bool floats)
{
    return (struct block_walk){.s = s,
                               .at = text,
                               .stop = block_stop(s, s->end),
                               .run = block_run(s, floats)};
}

/* `hot_loop` may be NULL. Returns the byte after the last comma recorded. */
LEX_INLINE const char *lengths_walk(struct block_walk *w,
                                    struct token_lengths *lengths,
                                    block_classify_fn classify,
                                    lengths_hot_loop_fn hot_loop,
                                    lengths_store_fn store)
{
    struct lengths_out out = {
        lengths->lens + lengths->count,
        lengths->lens + lengths->capacity - JSON_SIMD_BLOCK, -1};
    bool common = true;

    while (common && lengths_may_go_on(w, &out)) {
        struct block_tokens found;
        uint64_t wrong;

        block_prefetch(w->at);
        wrong = classify(w, &found);
        common = (wrong | found.spaces) == 0;
        lengths_end_block(w, &out, lengths_common(&found, wrong), store);
        if (hot_loop && common && lengths_may_go_on(w, &out))
            hot_loop(w, &out);
    }
    lengths->count = (size_t)(out.next - lengths->lens);
    return w->at + out.last + 1;
}

/* In groups of eight, for the reason that block_store_rows() has. */
LEX_INLINE void lengths_store(unsigned char *lens, uint64_t commas,
                              int64_t last)
{
    for (; commas; lens += 8)
        for (int i = 0; i < 8; i++, commas &= commas - 1) {
            uint32_t at = block_first_bit(commas);

            lens[i] = (unsigned char)(at - (uint32_t)last);
            last = at;
        }
}
