/* A panel on its way into the scratch and back. Private to move_panel*.c. */
#pragma once

#include "kernels/move/columns.h"
#include "kernels/simd/kernel_table.h"

/* Rows that are transposed at once: of a tile of bytes. */
enum { MOVE_PANEL_BLOCK = 16 };

struct move_panel {
    const struct move_columns *c;
    const struct move_code *code;
    const unsigned char *from;
    unsigned char *to;
    bool stream;
    struct cancel_check *pace;
    size_t rows;  /* entries of time that move */
    size_t first; /* column */
    size_t count; /* columns */

    /* The scratch has lines, of code->take(), or each column as a whole. */
    bool lines;
    unsigned char *scratch; /* owned; LINE more than `pitch` for each column */
    size_t pitch;
};

/* From `from` into the scratch, and from there to `to`, reversed. False when
 * cancelled. */
bool move_panel_take(const struct move_panel *p);
bool move_panel_put(const struct move_panel *p);
