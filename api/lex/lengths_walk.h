/* The walk over the blocks of a list of numbers that notes how many bytes each
 * of them takes; each level makes its own copy. */
#pragma once

#include "api/lex/block_walk.h"

/* Notes the distance of each comma of a block from the one before it, the first
 * one's from `last`, a place in front of the block, so below 0. Up to
 * JSON_SIMD_BLOCK bytes may be written. */
typedef void (*wide_put_fn)(unsigned char *lengths, uint64_t commas,
                            int64_t last);

/* The place of the last comma as seen from the next block. */
WIDE_INLINE int64_t wide_last(uint64_t commas, int64_t last)
{
    return commas ? -1 - __builtin_clzll(commas) : last - JSON_SIMD_BLOCK;
}

/* Commas in front of what is wrong or white space, which is not noted. */
WIDE_INLINE uint64_t wide_usual(const struct wide_found *found, uint64_t wrong)
{
    uint64_t others = wrong | found->spaces;

    return others ? found->commas & ((others & -others) - 1) : found->commas;
}

/* Where the first comma of a block may be too far from the last one. */
enum { WIDE_FARTHEST = UINT8_MAX - (JSON_SIMD_BLOCK - 1) };

/* Where the notes of a walk go. */
struct wide_noted {
    unsigned char *place, *full; /* no block goes behind `full` */
    int64_t last;                /* the last comma, from the block at hand */
};

/* Passes over blocks that need no close look, from where wide_goes_on(). */
typedef void (*wide_rush_fn)(struct wide_walk *w, struct wide_noted *noted);

WIDE_INLINE bool wide_goes_on(const struct wide_walk *w,
                              const struct wide_noted *noted)
{
    return w->at < w->stop && noted->place <= noted->full &&
           noted->last >= -WIDE_FARTHEST;
}

/* To the next block. */
WIDE_INLINE void wide_note_block(struct wide_walk *w, struct wide_noted *noted,
                                 uint64_t commas, wide_put_fn put)
{
    put(noted->place, commas, noted->last);
    noted->place += __builtin_popcountll(commas);
    noted->last = wide_last(commas, noted->last);
    w->at += JSON_SIMD_BLOCK;
}

WIDE_INLINE const char *wide_note(struct text_scan *s, const char *text,
                                  bool floats, struct token_lengths *lengths,
                                  wide_look_fn look, wide_rush_fn rush,
                                  wide_put_fn put)
{
    struct wide_walk w = {.s = s, .at = text, .stop = wide_stop(s, s->end)};
    struct wide_noted noted = {
        lengths->lens + lengths->count,
        lengths->lens + lengths->capacity - JSON_SIMD_BLOCK, -1};
    bool usual = true;

    w.run = wide_run_for(s, floats);
    while (usual && wide_goes_on(&w, &noted)) {
        struct wide_found found;
        uint64_t wrong;

        wide_foresee(w.at);
        wrong = look(&w, &found);
        usual = (wrong | found.spaces) == 0;
        wide_note_block(&w, &noted, wide_usual(&found, wrong), put);
        if (rush && usual && wide_goes_on(&w, &noted))
            rush(&w, &noted);
    }
    lengths->count = (size_t)(noted.place - lengths->lens);
    return w.at + noted.last + 1;
}

/* One by one: eight at a time whether they are there or not, which spares
 * branches that nobody can foretell. */
WIDE_INLINE void wide_put(unsigned char *lengths, uint64_t commas, int64_t last)
{
    for (; commas; lengths += 8)
        for (int i = 0; i < 8; i++, commas &= commas - 1) {
            uint32_t at = wide_first(commas);

            lengths[i] = (unsigned char)(at - (uint32_t)last);
            last = at;
        }
}
