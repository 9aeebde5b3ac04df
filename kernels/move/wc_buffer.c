#include "kernels/move/wc_buffer.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* With more bytes in the buffer at a time, reads wait for the writes. */
enum { LINE = 64, MOST_BYTES = WC_BUFFER_BYTES / 2 };

/* Rows of LONG_ROW bytes bypass the buffer, from LONG_ALIGNED_ROW on if they
 * are whole cache lines. Source bytes are prefetched PREFETCH_BYTES ahead;
 * if the span has at most NEAR bytes, all of it is prefetched, in address
 * order. */
enum {
    LONG_ROW = 2048,
    LONG_ALIGNED_ROW = 1024,
    PREFETCH_BYTES = 8 << 10,
    NEAR = 64 << 10,
};

void move_wc_buffer_init(struct wc_buffer *wc,
                         const struct kernel_table *kernels, size_t total)
{
    wc->kernels = kernels;
    wc->line = NULL;
    wc->start = wc->end = 0;
    wc->total = total;
}

void move_wc_buffer_flush(struct wc_buffer *wc)
{
    if (wc->end > wc->start)
        memcpy(wc->line + wc->start, wc->bytes + wc->start,
               wc->end - wc->start);
    wc->line = NULL;
    wc->start = wc->end = 0;
}

/* Space in the buffer for bytes whose target is `to`. */
static unsigned char *reserve(struct wc_buffer *wc, unsigned char *to)
{
    if (!wc->line || to != wc->line + wc->end) {
        move_wc_buffer_flush(wc);
        wc->start = wc->end = (uintptr_t)to % LINE;
        wc->line = to - wc->start;
    }
    return wc->bytes + wc->end;
}

/* Adds `bytes` bytes of the reserved space to the buffer, writes its whole
 * cache lines and meanwhile prefetches from `prefetch` on. */
static void commit(struct wc_buffer *wc, size_t bytes,
                   const unsigned char *prefetch)
{
    size_t whole;

    wc->end += bytes;
    whole = wc->end / LINE * LINE;
    if (whole == 0)
        return;
    if (wc->start > 0) {
        memcpy(wc->line + wc->start, wc->bytes + wc->start, LINE - wc->start);
        wc->start = LINE;
    }
    wc->kernels->rows.copy_nontemporal(wc->line + wc->start,
                                       wc->bytes + wc->start, whole - wc->start,
                                       prefetch);
    memmove(wc->bytes, wc->bytes + whole, wc->end - whole);
    wc->line += whole;
    wc->start = 0;
    wc->end -= whole;
}

/* The source address that is needed some time after `bytes` bytes from row
 * `row` on. No hardware prefetcher finds it. */
static const unsigned char *prefetch_of(const struct wc_buffer *wc,
                                        const unsigned char *from,
                                        const struct strided_rows *rows,
                                        size_t row, size_t bytes)
{
    size_t next = row * rows->size + PREFETCH_BYTES, at;

    if (rows->count * rows->size <= NEAR)
        at = rows->a + row * rows->size + NEAR;
    else if (rows->b_step > 0)
        at = rows->b + next;
    else
        at = rows->b + rows->size - next - bytes;
    return from + (at < wc->total ? at : 0);
}

/* Adds less than a cache line, or the bytes that fill one. */
static void add(struct wc_buffer *wc, const unsigned char *from,
                unsigned char *to, size_t bytes)
{
    memcpy(reserve(wc, to), from, bytes);
    commit(wc, bytes, from);
}

static bool bypasses_buffer(const struct strided_rows *rows,
                            const unsigned char *to)
{
    bool aligned = rows->size % LINE == 0 && (uintptr_t)to % LINE == 0;

    return rows->size >= (aligned ? LONG_ALIGNED_ROW : LONG_ROW);
}

/* Copies long rows without the buffer, but for cache lines that two rows
 * share. */
static void copy_long(struct wc_buffer *wc, const unsigned char *from,
                      unsigned char *to, const struct strided_rows *rows)
{
    size_t distance =
        rows->size > PREFETCH_BYTES ? 1 : (PREFETCH_BYTES - 1) / rows->size + 1;

    for (size_t i = 0; i < rows->count; i++) {
        const unsigned char *row = from + rows->b + i * (size_t)rows->b_step;
        size_t done = -(uintptr_t)to % LINE;
        size_t whole = (rows->size - done) / LINE * LINE;
        const unsigned char *next = row;

        if (i + distance < rows->count)
            next = row + distance * (size_t)rows->b_step;
        if (done)
            add(wc, row, to, done);
        wc->kernels->rows.copy_nontemporal(to + done, row + done, whole,
                                           next + done);
        done += whole;
        if (done < rows->size)
            add(wc, row + done, to + done, rows->size - done);
        to += rows->size;
    }
}

/* Copies as many rows at a time as fit into the buffer. */
static void copy_short(struct wc_buffer *wc, const unsigned char *from,
                       unsigned char *to, const struct strided_rows *rows)
{
    size_t most = MOST_BYTES / rows->size;
    struct strided_rows part = *rows;

    part.a = 0;
    for (size_t done = 0; done < rows->count; done += part.count) {
        size_t left = rows->count - done;
        size_t bytes;

        part.count = left < most ? left : most;
        bytes = part.count * rows->size;
        part.b = rows->b + done * (size_t)rows->b_step;
        wc->kernels->rows.copy(from, reserve(wc, to), &part);
        commit(wc, bytes, prefetch_of(wc, from, rows, done, bytes));
        to += bytes;
    }
}

/* Copies as many short planes at a time as fit into the buffer. */
static void copy_planes(struct wc_buffer *wc, const unsigned char *from,
                        unsigned char *to, const struct strided_rows *rows)
{
    size_t most = MOST_BYTES / rows->batch_step;
    struct strided_rows part = *rows;

    part.a = 0;
    for (size_t done = 0; done < rows->batch; done += part.batch) {
        size_t left = rows->batch - done;
        unsigned char *space = reserve(wc, to);

        part.batch = left < most ? left : most;
        wc->kernels->rows.copy(from, space, &part);
        commit(wc, part.batch * rows->batch_step,
               prefetch_of(wc, from, rows, done * rows->count, 0));
        to += part.batch * rows->batch_step;
        part.b += part.batch * rows->batch_step;
    }
}

void move_wc_buffer_copy(struct wc_buffer *wc, const unsigned char *from,
                         unsigned char *to, const struct strided_rows *rows)
{
    size_t bytes = rows->count * rows->size;
    struct strided_rows plane = *rows;

    if (rows->batch > 1 && bytes == rows->batch_step &&
        bytes <= MOST_BYTES / 2) {
        copy_planes(wc, from, to + rows->a, rows);
        return;
    }
    plane.batch = 1;
    for (size_t i = 0; i < rows->batch; i++) {
        if (bypasses_buffer(rows, to + plane.a))
            copy_long(wc, from, to + plane.a, &plane);
        else
            copy_short(wc, from, to + plane.a, &plane);
        plane.a += rows->batch_step;
        plane.b += rows->batch_step;
    }
}
