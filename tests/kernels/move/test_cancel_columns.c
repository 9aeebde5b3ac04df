/* Cancelling among columns with their own lengths, in panels and row by row.
 * The flag is byte 0 of the data: the mover itself sets it. */
#include "kernels/move/move.h"
#include "kernels/ops/permutation.h"
#include "tests/unit.h"

enum { SIZE = 8 << 20 };

static unsigned char data[SIZE], other[SIZE], scratch[SIZE];

/* [time, columns, row], 8 MiB of bytes or 4-byte elements; all lengths but the
 * first are `len`, which is len + 1 so that they are not equal. */
static const struct {
    int64_t columns, row, len;
    unsigned bits;
} cases[] = {
    {2048, 1, 1 << 30, 8},                        /* between panels */
    {2048, 1, 1 << 30, 32}, {64, 1, 1 << 30, 32}, /* in a panel of 4 MiB */
    {2048, 1, 2, 8},                              /* beyond the lengths */
    {256, 100, 1 << 30, 8}, {256, 100, 2, 8},     /* rows */
    {256, 256, 1 << 30, 8},                       /* prefetched */
    {1024, 16, 1 << 30, 8},                       /* in and between strips */
    {64, 16, 1 << 30, 8},
};

enum { CASES = sizeof(cases) / sizeof(*cases) };

static struct element_format format_of(int index)
{
    return (struct element_format){.bits = cases[index].bits};
}

static void describe(int index, struct permutation *p)
{
    int64_t columns = cases[index].columns;
    int64_t time = SIZE / (columns * cases[index].row * cases[index].bits / 8);
    struct shape shape = {3, {time, columns, cases[index].row}};
    int64_t *lens = malloc((size_t)columns * sizeof(*lens));

    for (int64_t i = 0; i < columns; i++)
        lens[i] = cases[index].len < time ? cases[index].len : time - 1;
    lens[0]++;
    permutation_init(p, &shape, false);
    permutation_flip_lens(p, 0, 1, lens);
    permutation_collapse(p);
    ck_assert_uint_le(move_scratch(p, format_of(index)), SIZE);
}

LOOP_TEST(columns_are_left_alone_when_cancelled_before, CASES)
{
    atomic_bool cancel = true;
    struct permutation p;

    describe(_i, &p);
    memset(data, 1, SIZE);
    data[0] = 0;
    memset(other, 0, SIZE);
    ck_assert(!move_swap(&p, format_of(_i), data, scratch, &cancel));
    ck_assert_uint_eq(data[0], 0);
    ck_assert(!move_copy(&p, format_of(_i), data, other, scratch, &cancel));
    ck_assert_ptr_null(memchr(other, 1, SIZE));
    permutation_free(&p);
}

LOOP_TEST(copy_stops_among_columns, CASES)
{
    struct permutation p;

    describe(_i, &p);
    memset(data, 1, SIZE);
    memset(other, 0, SIZE);
    ck_assert(!move_copy(&p, format_of(_i), data, other, scratch,
                         (const atomic_bool *)other));
    ck_assert_ptr_nonnull(memchr(other, 0, SIZE));
    permutation_free(&p);
}

/* Only cases in which enough is moved in place. */
LOOP_TEST(swap_stops_among_columns, CASES)
{
    struct permutation p;
    size_t half = SIZE / 2;

    if (cases[_i].len < 3)
        return;
    describe(_i, &p);
    memset(data, 0, half);
    memset(data + half, 1, half);
    ck_assert(!move_swap(&p, format_of(_i), data, scratch,
                         (const atomic_bool *)data));
    ck_assert_uint_eq(data[0], 1);
    ck_assert_ptr_nonnull(memchr(data, 0, half));
    permutation_free(&p);
}
