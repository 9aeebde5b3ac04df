/* A panel of columns, loaded into the scratch memory and stored from it.
 * Private to panel.c. */
#pragma once

#include "kernels/move/columns/columns_args.h"

/* Rows that the transpose kernel handles at a time: a tile of bytes. */
enum { PANEL_TILE_ROWS = 16 };

struct panel_transfer {
    const struct columns_args *args; /* borrowed */
    bool nontemporal;
    size_t rows;  /* of the panel: those that some column reverses */
    size_t first; /* column */
    size_t count; /* columns */

    /* The scratch memory has the blocks of the panel kernels, or else each
     * column as a whole. */
    bool blocked;
    unsigned char *scratch; /* owned; LINE more than `pitch` for each column */
    size_t pitch;           /* bytes of a column */
};

/* Load the panel, then store it reversed. False when cancelled. */
bool panel_transfer_load(const struct panel_transfer *p);
bool panel_transfer_store(const struct panel_transfer *p);
