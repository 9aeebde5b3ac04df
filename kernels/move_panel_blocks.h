/* A panel on its way into the scratch and back. Private to move_panel*.c. */
#pragma once

#include "kernels/move_columns.h"
#include "kernels/move_rows.h"

enum {
    MOVE_PANEL_LINE = 64,
    /* Rows taken at once: of a tile of bytes. */
    MOVE_PANEL_BLOCK = MOVE_BLOCK_ROWS,
    MOVE_PANEL_COLUMNS = 256, /* at most: each is in a page of its own */
};

struct move_panel {
    const struct move_columns *c;
    const struct move_code *code;
    const unsigned char *from;
    unsigned char *to;
    bool stream;
    struct move_pace *pace;
    unsigned char *scratch; /* owned; a column every `pitch` bytes */
    size_t pitch;
    size_t rows;  /* entries of time that move */
    size_t first; /* column */
    size_t count; /* columns */

    bool joint;    /* the code has take() and put(), and there are lines */
    int32_t *lens; /* borrowed, as `moved`: room for MOVE_PANEL_COLUMNS */
    uint32_t *moved;
};

/* To be called when first and count are set. */
void move_panel_begin(struct move_panel *p);

/* From `from` into the scratch, and from there to `to`, reversed. False when
 * cancelled. */
bool move_panel_take(const struct move_panel *p);
bool move_panel_put(const struct move_panel *p);
