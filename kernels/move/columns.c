#include "kernels/move/columns.h"

#include "kernels/move/column_shift.h"
#include "kernels/move/nontemporal.h"
#include "kernels/move/panel.h"
#include "kernels/move/row_strip.h"

enum {
    LINE = 64,
    /* Bytes that are moved between two looks at the flag, or a row. */
    PIECE = 256 << 10,
    /* Columns of so many bytes are in no near cache; measured, below it they
     * are best moved straight. */
    FAR = 8 << 20,
    /* Bytes of a row that are asked for at a time. */
    ASKED = 4096,
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t move_columns_longest(const struct move_columns *c)
{
    size_t most = 0;

    for (size_t i = 0; i < c->count; i++)
        most = (size_t)c->lens[i] > most ? (size_t)c->lens[i] : most;
    return most;
}

struct move_tile move_columns_tile(const struct move_columns *c)
{
    return (struct move_tile){.size = c->size,
                              .count = c->count,
                              .rows = 1,
                              .from_step = c->step,
                              .to_step = c->step,
                              .lens = c->lens};
}

static size_t rows_of(const struct move_columns *c)
{
    size_t width = c->count * c->size;

    return width < PIECE ? PIECE / width : 1;
}

static bool copy(const struct move_columns_run *r)
{
    const struct move_columns *c = r->c;
    struct move_tile tile = move_columns_tile(c);
    size_t most = rows_of(c);

    tile.far = r->far;
    for (; tile.row < c->time; tile.row += most) {
        tile.rows = least(most, c->time - tile.row);
        if (!cancel_step(r->pace, tile.rows * c->count * c->size))
            return false;
        r->code->copy_columns(r->from, r->to + tile.row * c->step, &tile);
    }
    return true;
}

/* Asks for the mirrored entries: no processor guesses where they are. */
static void ask(const struct move_columns_run *r, const struct move_tile *tile)
{
    for (size_t i = 0; i < tile->count; i++) {
        size_t len = (size_t)tile->lens[i];
        size_t mirror = tile->row < len ? len - 1 - tile->row : tile->row;
        const unsigned char *entry =
            r->to + mirror * tile->from_step +
            (size_t)(tile->lens + i - r->c->lens) * tile->size;

        for (size_t at = 0; at < tile->size; at += LINE)
            __builtin_prefetch(entry + at);
        __builtin_prefetch(entry + tile->size - 1);
    }
}

/* In parts, the next of which is asked for before one is moved. */
static void swap_far_row(const struct move_columns_run *r, size_t row)
{
    const struct move_columns *c = r->c;
    struct move_tile tile = move_columns_tile(c), next = tile;
    size_t most = c->size < ASKED ? ASKED / c->size : 1;

    next.row = row;
    next.count = 0;
    for (size_t done = 0; done < c->count; done += tile.count) {
        tile = next;
        next.lens = c->lens + done + tile.count;
        next.count = least(most, c->count - done - tile.count);
        ask(r, &next);
        r->code->swap_columns(r->to + done * c->size, &tile);
    }
}

static bool swap(const struct move_columns_run *r)
{
    const struct move_columns *c = r->c;
    struct move_tile tile = move_columns_tile(c);
    size_t rows = move_columns_longest(c) / 2;
    size_t most = r->far ? 1 : rows_of(c);

    for (; tile.row < rows; tile.row += most) {
        tile.rows = least(most, rows - tile.row);
        if (!cancel_step(r->pace, tile.rows * c->count * c->size))
            return false;
        if (r->far)
            swap_far_row(r, tile.row);
        else
            r->code->swap_columns(r->to, &tile);
    }
    return true;
}

static bool run(const struct move_columns_run *r)
{
    const struct move_columns *c = r->c;
    bool moved = false, done;

    if (c->time * c->step >= FAR && move_slab_takes(r)) {
        done = move_slab(r, &moved);
        if (moved)
            return done;
    }
    return r->from == r->to ? swap(r) : copy(r);
}

bool move_columns(const struct move_columns *c, const unsigned char *from,
                  unsigned char *to, bool stream, struct cancel_check *pace)
{
    const struct move_columns_run all = {
        .c = c,
        .code = move_code_best(),
        .pace = pace,
        .from = from + c->at,
        .to = to + c->at,
        .far = stream || c->time * c->step >= FAR,
    };
    bool moved = false, done;

    if (move_rise_takes(c, all.code))
        return move_rise(c, all.code, from, to, pace);
    if (move_panel_takes(c)) {
        done = move_panel(c, all.code, from, to, pace, &moved);
        if (moved)
            return done;
    }
    done = run(&all);
    if (all.far)
        move_stream_end();
    return done;
}
