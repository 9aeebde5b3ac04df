/* The loop over the blocks of a list of numbers. Each instruction set includes
 * it with its own functions for masks and for rows of one token. */
#pragma once

#include "api/lex/block.h"

static inline void block_end_row(struct token_stream *s, const char *comma)
{
    struct row_index *index = &s->index;
    const char *start = scan_skip_space(index->row_start);

    row_index_reserve(index);
    index->rows[index->count].start = (uint32_t)(start - s->text);
    index->rows[index->count].len = (uint32_t)(comma - start);
    index->row_start = comma + 1;
    index->count++;
}

/* Ends the rows of several numbers that the block completes; most blocks
 * complete none. `tokens` counts the block's commas too. */
static inline void block_end_rows(struct block_walk *w, uint64_t commas,
                                  uint64_t tokens)
{
    struct row_index *index = &w->s->index;
    uint64_t before = tokens - (uint64_t)__builtin_popcountll(commas);

    for (; w->row_end <= tokens; w->row_end += index->row_tokens)
        if (index->count < index->capacity)
            block_end_row(
                w->s, w->at + block_nth_bit(commas, w->row_end - before - 1));
}

/* Hands over a full index when rows of one token have been stored up to `rows`.
 * Returns where the next row goes; *edge is the row from which on this must be
 * called again. */
static struct span *block_reserve(struct row_index *index, struct span *rows,
                                  struct span **edge)
{
    uint64_t limit;

    index->count = (uint64_t)(rows - index->rows);
    row_index_reserve(index);
    limit = index->capacity < JSON_SIMD_ROWS
                ? 0
                : index->capacity - JSON_SIMD_ROWS + 1;
    *edge = index->rows +
            (index->full > 0 && index->full < limit ? index->full : limit);
    return index->rows + index->count;
}

/* `store` is used, and rows have one token, if `one_token`. */
LEX_INLINE void block_walk_blocks(struct block_walk *w, bool one_token,
                                  block_classify_fn classify,
                                  block_store_fn store)
{
    struct token_stream *s = w->s;
    const char *stop = w->stop;
    struct span *edge = s->index.rows;
    uint64_t tokens = s->tokens, wrong = 0;

    w->row_end = tokens + s->index.tokens_left;
    for (; !wrong && w->at < stop; w->at += JSON_SIMD_BLOCK) {
        struct block_tokens found;

        if (one_token && w->one_token_rows.rows >= edge) {
            w->one_token_rows.rows =
                block_reserve(&s->index, w->one_token_rows.rows, &edge);
            if (w->one_token_rows.rows >= edge)
                break;
        }
        block_prefetch(w->at);
        wrong = classify(w, &found);
        if (wrong) {
            found.commas &= (wrong & -wrong) - 1;
            found.starts &= (wrong & -wrong) - 1;
        }
        if (found.commas)
            w->resume = w->at + JSON_SIMD_BLOCK - __builtin_clzll(found.commas);
        tokens += (uint64_t)__builtin_popcountll(found.commas);
        if (one_token)
            store(&w->one_token_rows, found.starts, found.commas,
                  (uint32_t)(w->at - s->text));
        else if (tokens >= w->row_end)
            block_end_rows(w, found.commas, tokens);
    }
    if (!one_token)
        s->index.tokens_left = w->row_end - tokens;
    s->tokens = tokens;
}

LEX_INLINE const char *block_walk_list(struct block_walk *w,
                                       block_classify_fn classify,
                                       block_store_fn store)
{
    struct row_index *index = &w->s->index;
    const char *text = w->at;

    if (index->row_tokens == 1 && index->capacity >= JSON_SIMD_ROWS) {
        w->one_token_rows.rows = index->rows + index->count;
        block_walk_blocks(w, true, classify, store);
        index->count = (uint64_t)(w->one_token_rows.rows - index->rows);
    } else {
        if (index->tokens_left == index->row_tokens)
            index->row_start = text;
        block_walk_blocks(w, false, classify, store);
        index->row_start = scan_skip_space(index->row_start);
    }
    return w->resume == text ? text : scan_skip_space(w->resume);
}

LEX_INLINE const char *block_walk_numbers(struct token_stream *s,
                                          const char *text, bool floats,
                                          block_classify_fn classify,
                                          block_store_fn store)
{
    struct block_walk w = {
        .s = s, .at = text, .resume = text, .stop = block_stop(s, s->end)};

    w.run = block_run(s, floats);
    return block_walk_list(&w, classify, store);
}

LEX_INLINE const char *block_walk_validated(struct token_stream *s,
                                            const char *text,
                                            block_classify_fn classify,
                                            block_store_fn store)
{
    struct block_walk w = {.s = s,
                           .at = text,
                           .resume = text,
                           .stop = block_stop(s, s->validated_end)};

    return block_walk_list(&w, classify, store);
}

/* Stores rows in groups of eight, whether a group has that many or not: a loop
 * of exactly as many as there are ends in a mispredicted branch each time. */
LEX_INLINE void block_store_rows(struct one_token_rows *out, uint64_t starts,
                                 uint64_t commas, uint32_t base)
{
    struct span *start = out->rows + out->has_open;
    struct span *end = out->rows;

    out->rows += __builtin_popcountll(commas);
    out->has_open += (uint32_t)__builtin_popcountll(starts) -
                     (uint32_t)__builtin_popcountll(commas);
    while (starts | commas) {
        for (int i = 0; i < 8; i++, starts &= starts - 1)
            start[i].start = base + block_first_bit(starts);
        for (int i = 0; i < 8; i++, commas &= commas - 1)
            end[i].len = base + block_first_bit(commas) - end[i].start;
        start += 8;
        end += 8;
    }
}
