#include "kernels/move_columns.h"

#include "kernels/move_panel.h"
#include "kernels/move_stream.h"

/* Columns whose rows are handled together, and the bytes of these rows. */
enum { MOST_COLUMNS = 128, MOST_BYTES = 8 << 10 };

/* Columns first .. first + count - 1, whole entries as rows. */
struct group {
    const struct move_columns *c;
    const struct move_code *code;
    struct move_pace *pace;
    size_t first, count;
};

static size_t len_of(const struct group *g, size_t i)
{
    return (size_t)g->c->lens[g->first + i];
}

static size_t place_of(const struct group *g, size_t i, size_t t)
{
    return g->c->at + t * g->c->step + (g->first + i) * g->c->size;
}

static size_t largest_len(const struct group *g)
{
    size_t most = 0;

    for (size_t i = 0; i < g->count; i++)
        most = len_of(g, i) > most ? len_of(g, i) : most;
    return most;
}

/* Row after row, all columns in each: the rows at the front follow one another
 * in memory. No branch depends on a length. */
static bool swap_group(const struct group *g, unsigned char *data)
{
    size_t rows = largest_len(g) / 2;
    struct move_pair pairs[MOST_COLUMNS];

    for (size_t t = 0; t < rows; t++) {
        size_t count = 0;

        for (size_t i = 0; i < g->count; i++) {
            size_t len = len_of(g, i);

            pairs[count].a = place_of(g, i, t);
            pairs[count].b = place_of(g, i, len - 1 - t);
            count += t < len / 2;
        }
        if (!move_pace_step(g->pace, g->count * g->c->size))
            return false;
        g->code->swap_pairs(data, pairs, count, g->c->size);
    }
    return true;
}

/* Row t of the result, as pairs whose a starts at `to`. */
static void find_row(const struct group *g, size_t t, size_t to,
                     struct move_pair *pairs)
{
    for (size_t i = 0; i < g->count; i++) {
        size_t len = len_of(g, i);

        pairs[i].a = to + i * g->c->size;
        pairs[i].b = place_of(g, i, t < len ? len - 1 - t : t);
    }
}

static bool copy_group(const struct group *g, const unsigned char *from,
                       unsigned char *to, bool stream)
{
    size_t size = g->c->size;
    struct move_pair pairs[MOST_COLUMNS];
    unsigned char stage[MOST_BYTES];

    for (size_t t = 0; t < g->c->time; t++) {
        size_t at = place_of(g, 0, t);
        bool staged = stream && g->count * size <= sizeof(stage);

        if (!move_pace_step(g->pace, g->count * size))
            return false;
        find_row(g, t, staged ? 0 : at, pairs);
        g->code->copy_pairs(from, staged ? stage : to, pairs, g->count, size);
        if (staged)
            move_stream(to + at, stage, g->count * size);
    }
    return true;
}

static bool move_groups(const struct move_columns *c,
                        const struct move_code *code, const unsigned char *from,
                        unsigned char *to, bool stream, struct move_pace *pace)
{
    struct group g = {.c = c, .code = code, .pace = pace};
    size_t most = MOST_BYTES / c->size;

    most = most < 1 ? 1 : most > MOST_COLUMNS ? MOST_COLUMNS : most;
    for (; g.first < c->count; g.first += g.count) {
        size_t left = c->count - g.first;

        g.count = left < most ? left : most;
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
        bool done = move_panel(c, code, from, to, stream, pace, &moved);

        if (moved)
            return done;
    }
    return move_groups(c, code, from, to, stream, pace);
}
