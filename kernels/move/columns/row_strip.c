#include "kernels/move/columns/row_strip.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE = 64,
    /* Bytes of a row in a strip: enough to read and write memory at full
     * bandwidth. */
    MAX_WIDTH = 512,
    MAX_STRIP_BYTES = 4 << 20, /* in the third level cache */
    PREFETCH_ROWS = 8,         /* between the prefetch of a row and its load */
    MAX_ENTRY_BYTES = LINE,    /* of a copy */
    SHORT_ENTRY_BYTES = 16,    /* in place: a cache line has many */
    IN_PLACE_BYTES = 48 << 20, /* least size of the data, in place */
    /* Rows of the result that are assembled at a time. They are written
     * PIPELINE rows later: a row that was just stored in parts cannot be loaded
     * as a whole without waiting. */
    PIPELINE = 4,
    BUFFERED_ROWS = 2 * PIPELINE,
    ROW_BYTES = LINE + MAX_WIDTH + LINE + MAX_ENTRY_BYTES, /* of one of them */
};

/* Bytes start .. end - 1 of each row, which belong to columns first ..
 * first + count - 1; the outer ones perhaps in part. */
struct strip {
    size_t start, end;
    size_t first, count;
    size_t saved; /* first byte of each row that scratch memory saves */
    unsigned char *rows;
};

struct strips {
    const struct columns_args *args;
    size_t rows;      /* that move */
    size_t row_width; /* bytes of a row */
    size_t width;     /* of a strip */
    size_t pitch;     /* from one row of the scratch memory to the next */
    _Alignas(LINE) unsigned char buffer[BUFFERED_ROWS][ROW_BYTES];
};

bool row_strip_fits(const struct columns_args *args)
{
    if (args->time > MAX_STRIP_BYTES / LINE / 2)
        return false;
    /* Measured: longer entries, and in place less data, are best moved without
     * the scratch memory. */
    if (!columns_args_in_place(args))
        return args->size <= MAX_ENTRY_BYTES;
    return args->size <= SHORT_ENTRY_BYTES &&
           columns_args_bytes(args) >= IN_PLACE_BYTES;
}

static void load_row(const struct strips *s, const struct strip *strip,
                     size_t row)
{
    memcpy(strip->rows + row * s->pitch,
           s->args->from + row * s->args->step + strip->saved,
           strip->end - strip->saved);
}

/* Assembles rows of the result. */
static void assemble_rows(struct strips *s, const struct strip *strip,
                          size_t row, size_t rows)
{
    const struct columns_args *args = s->args;
    struct ragged_columns piece = columns_args_row(args);
    size_t before = strip->saved - strip->first * args->size;

    piece.row = row;
    piece.rows = rows;
    piece.count = strip->count;
    piece.lens = args->lens + strip->first;
    piece.from_step = s->pitch;
    piece.to_step = ROW_BYTES;
    args->kernels->columns.copy(strip->rows - before,
                                s->buffer[row % BUFFERED_ROWS] + LINE - before,
                                &piece);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The start of the cache line with byte `at` of a row, as a byte of the row. */
static size_t line_at(const struct strips *s, const unsigned char *row,
                      size_t at)
{
    return at == 0 || at == s->row_width ? at
                                         : at - (uintptr_t)(row + at) % LINE;
}

/* Writes the cache lines of a row that start within the strip; with each of
 * them prefetches one from `prefetch` on. */
static void write_row(const struct strips *s, const struct strip *strip,
                      size_t row, const unsigned char *prefetch)
{
    unsigned char *to = s->args->to + row * s->args->step;
    size_t start = line_at(s, to, strip->start);
    size_t bytes = line_at(s, to, strip->end) - start;
    const unsigned char *from =
        s->buffer[row % BUFFERED_ROWS] + LINE + (start - strip->saved);

    for (size_t i = 0; i < bytes; i += LINE)
        __builtin_prefetch(prefetch + i);
    s->args->kernels->rows.copy_nontemporal(to + start, from, bytes);
}

/* The row that is loaded PREFETCH_ROWS later; after the last one, cached
 * memory. */
static const unsigned char *prefetch_of(const struct strips *s,
                                        const struct strip *strip, size_t row)
{
    row += PREFETCH_ROWS;
    if (row >= s->rows || strip->count == 0)
        return s->buffer[0];
    return s->args->from + row * s->args->step + strip->saved;
}

/* Writes one strip while the next one is loaded, so that memory reads and
 * writes at the same time. Either may have no columns. */
static bool move_strip(struct strips *s, const struct strip *now,
                       const struct strip *next)
{
    for (size_t row = 0; row < s->rows + PIPELINE; row += PIPELINE) {
        if (row < s->rows && now->count > 0)
            assemble_rows(s, now, row, least(PIPELINE, s->rows - row));
        for (size_t i = row; i < row + PIPELINE; i++) {
            if (i >= PIPELINE && i - PIPELINE < s->rows && now->count > 0)
                write_row(s, now, i - PIPELINE, prefetch_of(s, next, i));
            if (i < s->rows && next->count > 0)
                load_row(s, next, i);
        }
        if (!cancel_step(s->args->cancel, PIPELINE * s->width))
            return false;
    }
    return true;
}

/* True if all rows start at the same byte of a cache line. */
static bool rows_aligned(const struct strips *s)
{
    return s->args->step % LINE == 0;
}

/* Strips end with a cache line where rows are aligned. Elsewhere a strip also
 * saves the bytes before it that may belong to its first line. */
static void next_strip(const struct strips *s, struct strip *strip)
{
    const struct columns_args *args = s->args;
    size_t lead = rows_aligned(s) ? (uintptr_t)args->to % LINE : 0;
    size_t before = rows_aligned(s) ? 0 : LINE - 1;

    strip->start = strip->end;
    strip->end =
        least(strip->end + s->width - (strip->end ? 0 : lead), s->row_width);
    strip->saved = strip->start - least(before, strip->start);
    strip->first = strip->saved / args->size;
    strip->count = (strip->end + args->size - 1) / args->size - strip->first;
    if (strip->start == strip->end)
        strip->count = 0;
}

static bool move_strips(struct strips *s, struct strip *now, struct strip *next)
{
    do {
        struct strip last = *now;

        *now = *next;
        next->rows = last.rows;
        next_strip(s, next);
        if (!move_strip(s, now, next))
            return false;
    } while (next->count > 0);
    return true;
}

/* Strips of about the same width. */
static size_t strip_width(const struct strips *s)
{
    size_t most =
        least(MAX_WIDTH, (MAX_STRIP_BYTES / s->rows / LINE - 1) * LINE);
    size_t all = s->row_width + LINE, count = (all - 1) / most + 1;

    return ((all - 1) / count / LINE + 1) * LINE;
}

bool row_strip_move(const struct columns_args *args, bool *moved)
{
    struct strips s = {.args = args, .row_width = args->count * args->size};
    struct strip now = {0}, next = {0};
    unsigned char *scratch;
    size_t bytes;
    bool done;

    s.rows =
        columns_args_in_place(args) ? columns_args_longest(args) : args->time;
    *moved = s.rows == 0;
    if (*moved)
        return true;
    s.width = strip_width(&s);
    s.pitch = s.width + (rows_aligned(&s) ? 0 : LINE);
    bytes = s.rows * s.pitch + LINE;
    scratch = malloc(2 * bytes + MAX_ENTRY_BYTES);
    *moved = scratch != NULL;
    if (!scratch)
        return false;
    now.rows = scratch + MAX_ENTRY_BYTES;
    next.rows = now.rows + bytes;
    done = move_strips(&s, &now, &next);
    free(scratch);
    return done;
}
