/* Write-combining buffer: copies past the caches whose targets are adjacent.
 * They are assembled in the first level cache and written from it in whole
 * cache lines. A cache line that is written in two parts, one of them past the
 * caches, would cost many times as much. */
#pragma once

#include <stddef.h>

#include "kernels/simd/kernel_table.h"

enum { WC_BUFFER_BYTES = 4096 };

struct wc_buffer {
    unsigned char *line; /* target of the buffer's first byte, or NULL */
    size_t start, end;   /* bytes of the buffer that are not written yet */
    size_t total;        /* bytes of the whole tensor */
    const struct kernel_table *kernels; /* borrowed */
    unsigned char bytes[WC_BUFFER_BYTES + 64];
};

/* Starts empty. `total` bytes are copied in all. */
void move_wc_buffer_init(struct wc_buffer *wc,
                         const struct kernel_table *kernels, size_t total);

/* Copies rows whose targets are adjacent, from `from` to `to`. Bytes that do
 * not fill a cache line stay in the buffer. */
void move_wc_buffer_copy(struct wc_buffer *wc, const unsigned char *from,
                         unsigned char *to, const struct strided_rows *rows);

/* Writes the bytes that are left. */
void move_wc_buffer_flush(struct wc_buffer *wc);
