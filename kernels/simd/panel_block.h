/* Arguments of the panel kernels: a block of rows of a panel of columns, which
 * is loaded into the scratch memory or stored from it.
 *
 * A block has PANEL_BLOCK_BYTES / size rows, fewer at the end of the panel. In
 * the scratch memory it has PANEL_BLOCK_BYTES for each column. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PANEL_BLOCK_BYTES = 64,     /* of a column in a block */
    PANEL_BLOCK_ROW_BYTES = 512 /* widest row of a panel */
};

struct panel_block {
    size_t size;         /* of an entry: 1, 2, 4 or 8 bytes */
    size_t columns;      /* PANEL_BLOCK_BYTES to PANEL_BLOCK_ROW_BYTES wide */
    size_t rows;         /* of the panel, >= any length */
    size_t row;          /* the first of the block */
    size_t step;         /* bytes from one row to the next */
    const int64_t *lens; /* borrowed: how many entries of a column reverse */
    bool nontemporal;    /* the target is written past the caches */
};
