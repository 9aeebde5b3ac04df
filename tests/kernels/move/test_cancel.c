/* Cancelling: the flag is tested before anything is moved, and about once a
 * MiB. To be deterministic without a second thread, the flag lies inside the
 * data: the mover itself sets it with the first bytes that it moves. */
#include "kernels/move/move.h"
#include "tests/kernels/naive.h"
#include "tests/unit.h"

enum { MIB = 1 << 20, SIZE = 8 * MIB, TWO_MIB = 2 * MIB, FOUR_MIB = 4 * MIB };

static const struct element_format bytes = {.bits = 8}, nibbles = {.bits = 4};

static unsigned char data[SIZE], other[SIZE], scratch[SIZE];

static void flip(struct permutation *p, int64_t entries, int64_t row)
{
    struct shape shape = {2, {entries, row}};

    permutation_init(p, &shape, false);
    permutation_flip(p, 0);
    permutation_collapse(p);
}

/* [batch, 2] with the first entries of lengths 2, the others `len`. */
static void flip_pairs(struct permutation *p, int64_t batch, int64_t len)
{
    struct shape shape = {2, {batch, 2}};
    int64_t *lens = malloc((size_t)batch * sizeof(*lens));

    for (int64_t b = 0; b < batch; b++)
        lens[b] = b == 0 ? 2 : len;
    permutation_init(p, &shape, false);
    permutation_flip_lens(p, 1, 0, lens);
    permutation_collapse(p);
}

static const atomic_bool *flag_at(unsigned char *at)
{
    return (const atomic_bool *)at;
}

/* A copy of ones over zeros stops when some bytes are there, but at most so
 * many; frees the permutation. */
static void check_copy(struct permutation *p, size_t most)
{
    size_t moved = 0;

    memset(data, 1, SIZE);
    memset(other, 0, SIZE);
    ck_assert(!move_copy(p, bytes, data, other, NULL, flag_at(other)));
    for (size_t i = 0; i < SIZE; i++)
        moved += other[i];
    ck_assert_uint_gt(moved, 0);
    ck_assert_uint_le(moved, most);
    permutation_free(p);
}

/* A swap of the data stops when byte 0 is 1, and byte `at` is 0 yet. */
static void check_swap(struct permutation *p, struct element_format format,
                       size_t at)
{
    ck_assert(!move_swap(p, format, data, NULL, flag_at(data)));
    ck_assert_uint_eq(data[0], 1);
    ck_assert(at == 0 || data[at] == 0);
    permutation_free(p);
}

UNIT_TEST(movers_do_nothing_when_cancelled_before)
{
    atomic_bool cancel = true;
    struct permutation p;

    flip(&p, 2, 1);
    data[0] = 1;
    ck_assert(!move_swap(&p, bytes, data, NULL, &cancel));
    ck_assert(!move_copy(&p, bytes, data, other, NULL, &cancel));
    ck_assert_uint_eq(data[0], 1);
    ck_assert_uint_eq(other[1], 0);
    ck_assert(!scale_run(DTYPE_FP32, data, 4, 2, &cancel));
    ck_assert_uint_eq(data[0], 1);
    permutation_free(&p);
}

UNIT_TEST(movers_finish_when_not_cancelled)
{
    atomic_bool cancel = false;
    struct permutation p;

    flip(&p, SIZE, 1);
    data[0] = 7;
    ck_assert(move_swap(&p, bytes, data, NULL, &cancel));
    ck_assert_uint_eq(data[SIZE - 1], 7);
    ck_assert(move_copy(&p, bytes, data, other, NULL, &cancel));
    ck_assert_uint_eq(other[0], 7);
    permutation_free(&p);
}

/* Entries a span, rows of a MiB and more, rows of one byte. */
static const int64_t row_sizes[] = {1, 16, 1000, MIB, 2 * MIB + 1};

LOOP_TEST(swap_stops_within_two_mib, COUNT(row_sizes))
{
    int64_t row = row_sizes[_i];
    int64_t entries = SIZE / row;
    struct permutation p;
    size_t moved = 0;

    /* The first half is 0, the second 1: byte 0 becomes 1 at once. */
    flip(&p, entries, row);
    memset(data, 0, SIZE);
    memset(data + entries / 2 * row, 1, SIZE - (size_t)(entries / 2 * row));
    ck_assert(!move_swap(&p, bytes, data, NULL, flag_at(data)));
    for (size_t i = 0; i < (size_t)(entries / 2 * row); i++)
        moved += data[i];
    ck_assert_uint_gt(moved, 0);
    ck_assert_uint_le(moved, TWO_MIB);
    permutation_free(&p);
}

LOOP_TEST(copy_stops_within_two_mib, COUNT(row_sizes))
{
    struct permutation p;

    flip(&p, SIZE / row_sizes[_i], row_sizes[_i]);
    check_copy(&p, TWO_MIB);
}

UNIT_TEST(copy_stops_in_unchanged_spans)
{
    struct shape shape = {1, {SIZE}};
    struct permutation p;

    permutation_init(&p, &shape, false);
    permutation_collapse(&p);
    check_copy(&p, FOUR_MIB);
}

/* A million tiny spans, or a million of nothing: counted all the same. */
LOOP_TEST(swap_stops_among_tiny_spans, 3)
{
    struct permutation p;

    flip_pairs(&p, MIB, _i);
    memset(data, 0, SIZE);
    for (size_t i = 1; i < SIZE; i += 2)
        data[i] = 1;
    check_swap(&p, bytes, MIB);
}

UNIT_TEST(swap_stops_among_packed_elements)
{
    struct permutation p;

    flip(&p, SIZE * 2 - 1, 1);
    memset(data, 0, SIZE);
    data[SIZE - 1] = 1; /* the last element, low bits first: to byte 0 */
    check_swap(&p, nibbles, 0);
}

/* Neither tiny nor cut in pieces: 8 pairs of half a MiB. */
UNIT_TEST(swap_stops_between_spans)
{
    struct shape shape = {3, {8, 2, MIB / 2}};
    struct permutation p;

    permutation_init(&p, &shape, false);
    permutation_flip(&p, 1);
    permutation_collapse(&p);
    memset(data, 0, SIZE);
    for (size_t i = 0; i < 8; i++)
        data[i * MIB + MIB / 2] = 1;
    check_swap(&p, bytes, TWO_MIB);
}

/* 1.0 times the next float: the first byte becomes 1. */
UNIT_TEST(scale_stops_within_two_mib)
{
    const float one = 1;
    size_t moved = 0;

    for (size_t i = 0; i < SIZE; i += sizeof(one))
        memcpy(data + i, &one, sizeof(one));
    ck_assert(!scale_run(DTYPE_FP32, data, SIZE, 0x1.000002p0, flag_at(data)));
    for (size_t i = 0; i < SIZE; i += sizeof(one))
        moved += data[i] == 1 ? sizeof(one) : 0;
    ck_assert_uint_gt(moved, 0);
    ck_assert_uint_le(moved, TWO_MIB);
}

/* Columns with their own lengths, in panels and row by row: [time, columns,
 * row], 8 MiB of bytes or 4-byte elements; all lengths but the first are `len`,
 * which is len + 1 so that they are not equal. */
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

LOOP_TEST(columns_are_left_alone_when_cancelled_before, COUNT(cases))
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

LOOP_TEST(copy_stops_among_columns, COUNT(cases))
{
    struct permutation p;

    describe(_i, &p);
    memset(data, 1, SIZE);
    memset(other, 0, SIZE);
    ck_assert(
        !move_copy(&p, format_of(_i), data, other, scratch, flag_at(other)));
    ck_assert_ptr_nonnull(memchr(other, 0, SIZE));
    permutation_free(&p);
}

/* Only cases in which enough is moved in place. */
LOOP_TEST(swap_stops_among_columns, COUNT(cases))
{
    struct permutation p;
    size_t half = SIZE / 2;

    if (cases[_i].len < 3)
        return;
    describe(_i, &p);
    memset(data, 0, half);
    memset(data + half, 1, half);
    ck_assert(!move_swap(&p, format_of(_i), data, scratch, flag_at(data)));
    ck_assert_uint_eq(data[0], 1);
    ck_assert_ptr_nonnull(memchr(data, 0, half));
    permutation_free(&p);
}
