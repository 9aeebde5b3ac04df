#include "kernels/move_columns.h"

#include "kernels/move_panel.h"
#include "kernels/move_stream.h"

/* Columns whose rows are handled together, and the bytes of these rows: at
 * least some lines of each, at most what the second level cache holds of all,
 * for a line that is read for one column is soon read for the next. */
enum {
    MOST_COLUMNS = 128,
    LEAST_BYTES = 256,
    MOST_BYTES = 8 << 10,
    CACHE_BYTES = 1 << 20,
};

/* Columns first .. first + count - 1, whole entries as rows. */
struct group {
    const struct move_code *code;
    struct move_pace *pace;
    const int64_t *lens;
    size_t at; /* byte of the first entry of the first column */
    size_t size, count, time, step;
};

static size_t largest_len(const struct group *g)
{
    size_t most = 0;

    for (size_t i = 0; i < g->count; i++)
        most = (size_t)g->lens[i] > most ? (size_t)g->lens[i] : most;
    return most;
}

/* The rows that entries t and their mirrors are, of the columns that are long
 * enough for t to be in their first half. No branch depends on a length. */
static size_t find_pairs(const struct group *group, size_t t,
                         struct move_pair *pairs)
{
    const struct group g = *group; /* no alias of the pairs */
    size_t count = 0;

    for (size_t i = 0; i < g.count; i++) {
        size_t len = (size_t)g.lens[i];
        size_t at = g.at + i * g.size;

        pairs[count].a = at + t * g.step;
        pairs[count].b = at + (len - 1 - t) * g.step;
        count += t < len / 2;
    }
    return count;
}

/* Row after row, all columns in each: the rows at the front follow one another
 * in memory. */
static bool swap_group(const struct group *g, unsigned char *data)
{
    size_t rows = largest_len(g) / 2;
    struct move_pair pairs[MOST_COLUMNS];

    for (size_t t = 0; t < rows; t++) {
        if (!move_pace_step(g->pace, g->count * g->size))
            return false;
        g->code->swap_pairs(data, pairs, find_pairs(g, t, pairs), g->size);
    }
    return true;
}

/* Row t of the result, as pairs whose a starts at `to`. */
static void find_row(const struct group *group, size_t t, size_t to,
                     struct move_pair *pairs)
{
    const struct group g = *group;

    for (size_t i = 0; i < g.count; i++) {
        size_t len = (size_t)g.lens[i];
        size_t row = t < len ? len - 1 - t : t;

        pairs[i].a = to + i * g.size;
        pairs[i].b = g.at + i * g.size + row * g.step;
    }
}

static bool copy_group(const struct group *g, const unsigned char *from,
                       unsigned char *to, bool stream)
{
    size_t width = g->count * g->size;
    struct move_pair pairs[MOST_COLUMNS];
    unsigned char stage[MOST_BYTES];
    bool staged = stream && width <= sizeof(stage);

    for (size_t t = 0; t < g->time; t++) {
        size_t at = g->at + t * g->step;

        if (!move_pace_step(g->pace, width))
            return false;
        find_row(g, t, staged ? 0 : at, pairs);
        g->code->copy_pairs(from, staged ? stage : to, pairs, g->count,
                            g->size);
        if (staged)
            move_stream(to + at, stage, width);
    }
    return true;
}

static size_t columns_of(const struct move_columns *c)
{
    size_t bytes = CACHE_BYTES / c->time;
    size_t columns;

    if (bytes < LEAST_BYTES)
        bytes = LEAST_BYTES;
    columns = (bytes > MOST_BYTES ? MOST_BYTES : bytes) / c->size;
    if (columns > MOST_COLUMNS)
        return MOST_COLUMNS;
    return columns < 1 ? 1 : columns;
}

static bool move_groups(const struct move_columns *c,
                        const struct move_code *code, const unsigned char *from,
                        unsigned char *to, bool stream, struct move_pace *pace)
{
    struct group g = {
        .code = code,
        .pace = pace,
        .size = c->size,
        .time = c->time,
        .step = c->step,
    };
    size_t most = columns_of(c);

    for (size_t first = 0; first < c->count; first += g.count) {
        size_t left = c->count - first;

        g.count = left < most ? left : most;
        g.lens = c->lens + first;
        g.at = c->at + first * c->size;
        if (!(from == to ? swap_group(&g, to)
                         : copy_group(&g, from, to, stream)))
            return false;
    }
    return true;
}

bool move_columns(const struct move_columns *c, const unsigned char *from,
                  unsigned char *to, bool stream, struct move_pace *pace)
{
    const struct move_code *code = move_code_best();
    bool moved = false;

    if (move_panel_takes(c)) {
        bool done = move_panel(c, code, from, to, pace, &moved);

        if (moved)
            return done;
    }
    return move_groups(c, code, from, to, stream, pace);
}
