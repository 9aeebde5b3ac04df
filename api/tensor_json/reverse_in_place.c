/* In text without white space, rows in another order take the same bytes. Text
 * that does not move is therefore not touched, and no index is needed: the
 * position of a row is the sum of the token lengths before it. */
#include "api/tensor_json/reverse_in_place.h"

#include <string.h>

#include "kernels/core/cancel.h"

enum {
    STEP = 16, /* bytes copied at once, even for a shorter token */
    SPARE = 32 /* bytes required after the reversed text: more than a step */
};

/* Rows of one entry. */
struct rows {
    const unsigned char *lens; /* from the first token on */
    size_t row;                /* tokens in a row */
};

/* Adds at most 256 lengths: 256 * 255 fits in 16 bits. */
static size_t sum_256(const unsigned char *lens, size_t count)
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
        sum += sum_256(lens, most);
    return sum + sum_256(lens, count);
}

/* Copies tokens from the last one, which ends at `end`, to the first. Reads and
 * rewrites some bytes after the last byte of `to`; their values stay. */
static void reverse_tokens(char *to, const char *end, const unsigned char *lens,
                           size_t count, size_t bytes)
{
    char after[STEP], *stop = to + bytes;

    memcpy(after, stop, STEP);
    while (count-- > 0) {
        size_t len = lens[count];

        end -= len;
        memcpy(to, end, STEP);
        if (__builtin_expect(len > STEP, 0))
            for (size_t i = STEP; i < len; i += STEP)
                memcpy(to + i, end + i, STEP);
        to += len;
    }
    memcpy(stop, after, STEP);
}

static void reverse_rows(char *to, const char *end, const struct rows *rows,
                         size_t count)
{
    while (count-- > 0) {
        size_t len = sum_up(rows->lens + count * rows->row, rows->row);

        end -= len;
        memcpy(to, end, len);
        to += len;
    }
}

/* Reverses the first `count` rows of an entry at `text`: `bytes` bytes. */
static void reverse_entry(char *scratch, char *text, const struct rows *rows,
                          size_t count, size_t bytes)
{
    if (count < 2)
        return;
    memcpy(scratch, text, bytes);
    if (rows->row == 1)
        reverse_tokens(text, scratch + bytes, rows->lens, count, bytes);
    else
        reverse_rows(text, scratch + bytes, rows, count);
}

/* Whether each entry of axis 0 is a reversal of rows within itself. */
static bool is_reversal(const struct permutation *permutation)
{
    const struct permutation_axis *axes = permutation->axes;

    return permutation->rank == 2 && axes[0].map == PERMUTATION_KEEP &&
           axes[1].stride == 1 && axes[0].stride == axes[1].extent &&
           (axes[1].map == PERMUTATION_FLIP ||
            (axes[1].map == PERMUTATION_FLIP_LENS &&
             permutation->batch_axis == 0));
}

/* Rows of an entry to reverse. */
static size_t rows_to_reverse(const struct permutation *permutation,
                              uint64_t entry)
{
    if (permutation->axes[1].map == PERMUTATION_FLIP)
        return (size_t)permutation->axes[1].flips;
    return (size_t)permutation->lens[entry];
}

uint64_t reverse_in_place(const struct in_place_reversal *job, char *first,
                          size_t *bytes)
{
    const struct permutation *permutation = job->permutation;
    const struct data_array *a = job->array;
    const struct permutation_axis *axis = &permutation->axes[1];
    bool complex = dtype_info(a->dtype)->kind == DTYPE_KIND_COMPLEX;
    const unsigned char *end = a->lengths.lens + a->lengths.count;
    size_t row = (size_t)permutation->row * (complex ? 2 : 1);
    struct rows rows = {a->lengths.lens, row};
    struct cancel_check check = {.flag = job->cancel};
    size_t capacity = (size_t)(a->text + a->len - first);
    uint64_t done;

    *bytes = 0;
    if (row == 0 || !is_reversal(permutation))
        return 0;
    for (done = 0; done < permutation->axes[0].extent; done++) {
        size_t tokens = (size_t)axis->extent * row;
        size_t count = rows_to_reverse(permutation, done);
        size_t head, tail; /* bytes of the reversed and of the other rows */

        if ((size_t)(end - rows.lens) / row < axis->extent)
            break;
        head = sum_up(rows.lens, count * row);
        tail = sum_up(rows.lens + count * row, tokens - count * row);
        if (capacity - *bytes < head + tail + SPARE ||
            !cancel_step(&check, head))
            break;
        reverse_entry(job->scratch, first + *bytes, &rows, count, head);
        *bytes += head + tail;
        rows.lens += tokens;
    }
    return done;
}
