/* Copies past the caches that follow one another at the target: put together in
 * the first level cache and streamed from there in whole lines. A line that is
 * written in two parts, one past the caches, would cost many times as much. */
#pragma once

#include <stddef.h>

#include "kernels/move_rows.h"

enum { MOVE_STAGE_BYTES = 4096 };

struct move_stage {
    unsigned char *line; /* where the stage's first byte belongs */
    size_t start, end;   /* what of the stage is still to be written */
    unsigned char bytes[MOVE_STAGE_BYTES + 64];
};

/* Nothing is in it. */
void move_stage_init(struct move_stage *stage);

/* Copies rows that follow one another at the target, from `from` to `to`. What
 * is not a whole line stays in the stage. */
void move_stage_copy(struct move_stage *stage, const struct move_code *code,
                     const unsigned char *from, unsigned char *to,
                     const struct move_rows *rows);

/* Writes what is left. */
void move_stage_flush(struct move_stage *stage);
