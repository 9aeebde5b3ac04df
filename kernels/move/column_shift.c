#include "kernels/move/column_shift.h"

enum {
    LINE = 64,
    /* Divided by the size of an entry: bytes up to which this is faster than
     * panels, which transpose small entries at a higher cost. */
    MOST_BYTES = 512 << 10,
};

bool move_rise_takes(const struct move_columns *c, const struct move_code *code)
{
    return code->rise && c->size <= 8 && (c->size & (c->size - 1)) == 0 &&
           c->size * c->count >= LINE && c->time >= MOVE_RISE_LEAST &&
           c->time <= MOVE_RISE_ROWS &&
           c->time * c->step <= MOST_BYTES / c->size;
}

/* The last line ends where the columns do: those that the one before has moved
 * stay. */
bool move_rise(const struct move_columns *c, const struct move_code *code,
               const unsigned char *from, unsigned char *to,
               struct cancel_check *pace)
{
    _Alignas(LINE) unsigned char scratch[MOVE_RISE_SCRATCH];
    size_t count = LINE / c->size;

    for (size_t i = 0; i < c->count; i += count) {
        size_t first = i + count <= c->count ? i : c->count - count;
        size_t at = c->at + first * c->size;
        struct move_rise line = {.lens = c->lens + first,
                                 .size = c->size,
                                 .kept = from == to ? i - first : 0,
                                 .rows = c->time,
                                 .step = c->step};

        if (!cancel_step(pace, c->time * LINE))
            return false;
        code->rise(from + at, to + at, scratch, &line);
    }
    return true;
}
