/* Rows of text are found, moved and written a turn at a time.
 *
 * Along an outer axis that stays as it is, entries are moved each for itself.
 * A turn is so many of them as stay in the processor's caches from the look at
 * their text to the copy of it, and the index has room for one turn only. Where
 * it may, the copy goes over the text that earlier turns have left: that memory
 * has been touched, and no other needs to be. */
#include <string.h>

#include "api/lex/simd.h"
#include "api/tensor_json/parser.h"
#include "api/tensor_json/reverse_in_place.h"
#include "kernels/move/swap.h"

/* Stretches are placed as 64-bit elements by the swap mover. */
_Static_assert(sizeof(struct span) == 8, "a stretch is one 64-bit element");

enum { TURN = 32 << 10 }; /* bytes of text that a turn is about */

struct text_turns {
    const struct data_array *a;  /* borrowed */
    const struct permutation *m; /* borrowed; its axis 0 is cut, if there is */
    uint64_t each;               /* rows of an entry of that axis */
    uint64_t done;               /* rows */
    char *out; /* of the turn at hand, when that is not `at` */
    char *place, *at, *end;
    const atomic_bool *cancel;
};

/* Rows that are moved each for themselves, or all. */
static uint64_t rows_each(const struct permutation *m)
{
    const struct permutation_axis *axis = m->axes;

    if (m->rank > 0 && axis->map == PERMUTATION_KEEP &&
        axis->stride == m->row_count / axis->extent)
        return axis->stride;
    return m->row_count;
}

static uint64_t rows_of_turn(const struct data_array *a,
                             const struct permutation *m)
{
    uint64_t each = rows_each(m);
    uint64_t entries = each > 0 ? m->row_count / each : 0;
    uint64_t bytes = entries > 0 ? a->len / entries : 0;
    uint64_t wanted = TURN / (bytes + 1) + 1;

    return wanted < entries ? wanted * each : m->row_count;
}

uint64_t tensor_json_move_capacity(const struct data_array *a,
                                   const struct permutation *m)
{
    uint64_t turn = rows_of_turn(a, m);

    /* Rows are found some at a time, and some are left for the next turn. */
    return m->row_count - turn > JSON_SIMD_ROWS ? turn + JSON_SIMD_ROWS
                                                : m->row_count;
}

static struct permutation part(const struct text_turns *turns, uint64_t count)
{
    struct permutation m = *turns->m;

    m.row = 1;
    if (count == m.row_count)
        return m;
    m.axes[0].extent = count / turns->each;
    m.row_count = count;
    if (m.batch_axis == 0 && m.lens)
        m.lens += turns->done / turns->each;
    return m;
}

static void move(struct text_scan *s, uint64_t count)
{
    struct text_turns *turns = s->turns;
    struct permutation m = part(turns, count);
    char *out;
    size_t len;

    move_swap(&m, 64, false, s->rows, turns->cancel);
    if (turns->at > turns->place)
        *turns->at++ = ',';
    out = turns->out ? turns->out : turns->at;
    len = text_emit_part(turns->a, turns->m->row_count, s->rows, count, out,
                         (size_t)(turns->end - turns->at), turns->cancel);
    if (turns->out)
        memcpy(turns->at, out, len);
    turns->at += len;
    turns->done += count;
}

void text_scan_turn(struct text_scan *s)
{
    const struct text_turns *turns = s->turns;
    uint64_t left;

    move(s, s->turn);
    s->row_count -= s->turn;
    left = turns->m->row_count - turns->done;
    if (s->row_limit > left)
        s->row_limit = left;
    /* With what is known of the row at hand. */
    memmove(s->rows, s->rows + s->turn,
            (size_t)(s->row_count + 1) * sizeof(*s->rows));
}

/* Entries that need no index; the walk will go on behind them. */
static void flip(struct text_scan *s, char *place)
{
    struct text_turns *turns = s->turns;
    struct text_flip flip = {turns->a, turns->m, turns->out, turns->cancel};
    size_t gap = (size_t)(text_scan_space(s->at + 1) - s->at);
    uint64_t entries = text_flip(&flip, place + gap, &s->passed);

    if (entries == 0)
        return;
    turns->place = place + gap;
    turns->at = turns->place + s->passed - 1;
    turns->done = entries * turns->each;
    s->passed_tokens = turns->done * s->row;
    if (s->row_limit > turns->m->row_count - turns->done)
        s->row_limit = turns->m->row_count - turns->done;
}

bool tensor_json_move(const struct data_array *a, const struct permutation *m,
                      struct span *rows, char *place, char **out, size_t *len,
                      const atomic_bool *cancel, struct status *st)
{
    struct text_turns turns = {
        .a = a, .m = m, .each = rows_each(m), .cancel = cancel};
    struct text_scan s;

    if (!text_scan_init(&s, a, cancel, st))
        return false;
    text_scan_rows(&s, rows, m->row > 0 ? m->row : 1,
                   tensor_json_move_capacity(a, m));
    s.turns = &turns;
    if (s.row_limit < m->row_count)
        s.turn = rows_of_turn(a, m);
    turns.place = turns.at = *out;
    if (place && (s.turn > 0 || a->lengths.count > 0)) {
        turns.out = *out;
        turns.place = turns.at = place;
    }
    turns.end = turns.place + a->len;
    if (turns.out && a->lengths.count > 0)
        flip(&s, place);
    if (!text_walk(&s, text_run_index(a->dtype)))
        return false;
    if (s.row_count > 0)
        move(&s, s.row_count);
    *out = turns.place;
    *len = (size_t)(turns.at - turns.place);
    return true;
}
