/* Cancelling: the flag is tested before anything is moved, and about once a
 * MiB. To be deterministic without a second thread, the flag lies inside the
 * data: the mover itself sets it with the first bytes that it moves. */
#include "kernels/move/move.h"
#include "tests/kernels/naive.h"
#include "tests/unit.h"

enum { MIB = 1 << 20, SIZE = 8 * MIB, TWO_MIB = 2 * MIB, FOUR_MIB = 4 * MIB };

static const struct element_format bytes = {.bits = 8}, nibbles = {.bits = 4};

static unsigned char data[SIZE];
static unsigned char other[SIZE];

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
    int64_t row = row_sizes[_i];
    struct permutation p;
    size_t moved = 0;

    flip(&p, SIZE / row, row);
    memset(data, 1, SIZE);
    memset(other, 0, SIZE);
    ck_assert(!move_copy(&p, bytes, data, other, NULL, flag_at(other)));
    for (size_t i = 0; i < SIZE; i++)
        moved += other[i];
    ck_assert_uint_gt(moved, 0);
    ck_assert_uint_le(moved, TWO_MIB);
    permutation_free(&p);
}

UNIT_TEST(copy_stops_in_unchanged_spans)
{
    struct shape shape = {1, {SIZE}};
    struct permutation p;
    size_t moved = 0;

    permutation_init(&p, &shape, false);
    permutation_collapse(&p);
    memset(data, 1, SIZE);
    memset(other, 0, SIZE);
    ck_assert(!move_copy(&p, bytes, data, other, NULL, flag_at(other)));
    for (size_t i = 0; i < SIZE; i++)
        moved += other[i];
    ck_assert_uint_le(moved, FOUR_MIB);
    permutation_free(&p);
}

/* A million tiny spans, or a million of nothing: counted all the same. */
LOOP_TEST(swap_stops_among_tiny_spans, 3)
{
    struct permutation p;

    flip_pairs(&p, MIB, _i);
    memset(data, 0, SIZE);
    for (size_t i = 1; i < SIZE; i += 2)
        data[i] = 1;
    ck_assert(!move_swap(&p, bytes, data, NULL, flag_at(data)));
    ck_assert_uint_eq(data[0], 1);
    ck_assert_uint_eq(data[MIB], 0);
    permutation_free(&p);
}

UNIT_TEST(swap_stops_among_packed_elements)
{
    struct permutation p;

    flip(&p, SIZE * 2 - 1, 1);
    memset(data, 0, SIZE);
    data[SIZE - 1] = 1; /* the last element, low bits first: to byte 0 */
    ck_assert(!move_swap(&p, nibbles, data, NULL, flag_at(data)));
    ck_assert_uint_eq(data[0], 1);
    permutation_free(&p);
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
    ck_assert(!move_swap(&p, bytes, data, NULL, flag_at(data)));
    ck_assert_uint_eq(data[0], 1);
    ck_assert_uint_eq(data[TWO_MIB], 0);
    permutation_free(&p);
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
