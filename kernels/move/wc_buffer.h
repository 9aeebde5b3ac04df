/* Copies past the caches that follow one another at the target: put together in
 * the first level cache and streamed from there in whole lines. A line that is
 * written in two parts, one past the caches, would cost many times as much. */
#pragma once

#include <stddef.h>

#include "kernels/simd/kernel_table.h"

enum { MOVE_STAGE_BYTES = 4096 };

struct move_stage {
    unsigned char *line;          /* where the stage's first byte belongs */
    size_t start, end;            /* what of the stage is still to be written */
    size_t total;                 /* bytes of the whole tensor */
    const struct move_code *code; /* borrowed */
    unsigned char bytes[MOVE_STAGE_BYTES + 64];
};

/* Nothing is in it. Tensors of `total` bytes are copied. */
void move_stage_init(struct move_stage *stage, const struct move_code *code,
                     size_t total);

/* Copies rows that follow one another at the target, from `from` to `to`. What
 * is not a whole line stays in the stage. */
void move_stage_copy(struct move_stage *stage, const unsigned char *from,
                     unsigned char *to, const struct move_rows *rows);

/* Room for MOVE_STAGE_BYTES that belong at `to`; takes over `bytes` of them,
 * which were put there. */
unsigned char *move_stage_room(struct move_stage *stage, unsigned char *to);
void move_stage_put(struct move_stage *stage, size_t bytes);

/* Writes what is left. */
void move_stage_flush(struct move_stage *stage);
