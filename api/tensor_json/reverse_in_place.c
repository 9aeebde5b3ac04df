/* Without white space, rows in another order take the same bytes of text, so
 * what does not move need not be touched, and nothing needs an index: where
 * the rows stand is the sum of what notes tell of them. */
#include "api/tensor_json/reverse_in_place.h"

#include <string.h>

#include "kernels/core/cancel.h"

enum {
    STEP = 16, /* bytes that are copied at once, needed or not */
    SPARE = 32 /* that stand behind what is turned, more than a step */
};

struct run {
    const unsigned char *lens; /* of its first element */
    size_t row;                /* elements, as lens counts them */
};

/* Up to 256 notes, so that no sixteenth of a sum overflows. */
static size_t sum_some(const unsigned char *lens, size_t count)
{
    const uint64_t low = UINT64_C(0x00FF00FF00FF00FF);
    uint64_t sums = 0;
    size_t sum = 0, i;

    for (i = 0; i + 8 <= count; i += 8) {
        uint64_t eight;

        memcpy(&eight, lens + i, sizeof(eight));
        sums += (eight & low) + (eight >> 8 & low);
    }
    for (; i < count; i++)
        sum += lens[i];
    return sum + (size_t)(sums * UINT64_C(0x0001000100010001) >> 48);
}

static size_t sum_up(const unsigned char *lens, size_t count)
{
    const size_t most = 256;
    size_t sum = 0;

    for (; count > most; count -= most, lens += most)
        sum += sum_some(lens, most);
    return sum + sum_some(lens, count);
}

/* Backwards from `end`. Some bytes behind the last one are read, and written
 * too, but as they were. */
static void turn_singles(char *to, const char *end, const unsigned char *lens,
                         size_t count, size_t bytes)
{
    char behind[STEP], *stop = to + bytes;

    memcpy(behind, stop, STEP);
    while (count-- > 0) {
        size_t len = lens[count];

        end -= len;
        memcpy(to, end, STEP);
        if (__builtin_expect(len > STEP, 0))
            for (size_t i = STEP; i < len; i += STEP)
                memcpy(to + i, end + i, STEP);
        to += len;
    }
    memcpy(stop, behind, STEP);
}

static void turn_rows(char *to, const char *end, const struct run *run,
                      size_t count)
{
    while (count-- > 0) {
        size_t len = sum_up(run->lens + count * run->row, run->row);

        end -= len;
        memcpy(to, end, len);
        to += len;
    }
}

static void turn(const struct text_flip *flip, char *place,
                 const struct run *run, size_t count, size_t bytes)
{
    if (count < 2)
        return;
    memcpy(flip->scratch, place, bytes);
    if (run->row == 1)
        turn_singles(place, flip->scratch + bytes, run->lens, count, bytes);
    else
        turn_rows(place, flip->scratch + bytes, run, count);
}

static bool suits(const struct permutation *m)
{
    const struct permutation_axis *axes = m->axes;

    return m->rank == 2 && axes[0].map == PERMUTATION_KEEP &&
           axes[1].stride == 1 && axes[0].stride == axes[1].extent &&
           (axes[1].map == PERMUTATION_FLIP ||
            (axes[1].map == PERMUTATION_FLIP_LENS && m->batch_axis == 0));
}

static size_t flips_of(const struct permutation *m, uint64_t entry)
{
    if (m->axes[1].map == PERMUTATION_FLIP)
        return (size_t)m->axes[1].flips;
    return (size_t)m->lens[entry];
}

uint64_t text_flip(const struct text_flip *flip, char *place, size_t *bytes)
{
    const struct permutation *m = flip->m;
    const struct data_array *a = flip->a;
    const struct permutation_axis *axis = &m->axes[1];
    bool complex = dtype_info(a->dtype)->kind == DTYPE_KIND_COMPLEX;
    const unsigned char *end = a->lengths.lens + a->lengths.count;
    size_t row = (size_t)m->row * (complex ? 2 : 1);
    struct run run = {a->lengths.lens, row};
    struct cancel_check pace = {.cancel = flip->cancel};
    size_t room = (size_t)(a->text + a->len - place);
    uint64_t done;

    *bytes = 0;
    if (row == 0 || !suits(m))
        return 0;
    for (done = 0; done < m->axes[0].extent; done++) {
        size_t all = (size_t)axis->extent * row;
        size_t count = flips_of(m, done);
        size_t front, rest;

        if ((size_t)(end - run.lens) / row < axis->extent)
            break;
        front = sum_up(run.lens, count * row);
        rest = sum_up(run.lens + count * row, all - count * row);
        if (room - *bytes < front + rest + SPARE || !cancel_step(&pace, front))
            break;
        turn(flip, place + *bytes, &run, count, front);
        *bytes += front + rest;
        run.lens += all;
    }
    return done;
}
