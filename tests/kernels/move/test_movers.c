/* The swap and the copy mover against the naive oracle, bit for bit, with
 * guard bytes round the data and at any alignment. */
#include "kernels/move/move.h"
#include "tests/kernels/move/mover_case.h"
#include "tests/unit.h"

/* The layout that movers rely on, for any mixture of marks. */
UNIT_TEST(movers_get_permutations_as_documented)
{
    static struct naive n;
    uint64_t state = 11;

    for (int i = 0; i < 20000; i++) {
        struct permutation p;
        int time = -1;

        naive_random_case(&state, &n);
        naive_permutation(&n, &p);

        if (p.row < 1 || p.row * p.row_count != naive_count(&n))
            ck_abort_msg("rows do not make up the tensor");
        for (int a = 0; a < p.rank; a++) {
            if (p.axes[a].map == PERMUTATION_FLIP_LENS)
                time = a;
            if (p.axes[a].extent < 2 && a != p.batch_axis)
                ck_abort_msg("an axis of one entry stays");
        }
        if (p.batch_axis >= time && time >= 0)
            ck_abort_msg("time comes before batch");
        if ((p.batch_axis >= 0) != (time >= 0))
            ck_abort_msg("a batch axis without lengths, or lengths without");
        permutation_free(&p);
    }
}

LOOP_TEST(movers_match_naive_loop_on_random_cases, 4)
{
    static struct naive n;
    uint64_t state = 20240611 + (uint64_t)_i;

    for (int i = 0; i < 1500; i++) {
        naive_random_case(&state, &n);
        for (int f = 0; f < NAIVE_FORMATS; f++)
            mover_case_check(&state, &n, &naive_formats[f]);
    }
}

/* Up to 8 MiB, past every cache and every size that is moved at a time. */
LOOP_TEST(movers_match_naive_loop_on_large_cases, NAIVE_FORMATS)
{
    const struct element_format *f = &naive_formats[_i];
    static struct naive n;
    uint64_t state = 20261122 + (uint64_t)_i;
    uint64_t most = f->bits < 8 ? 4 << 20 : (8 << 20) / (f->bits / 8);

    for (int i = 0; i < 10; i++) {
        naive_random_large(&state, most, &n);
        mover_case_check(&state, &n, f);
    }
}

/* A flipped axis of `entries` entries, each a row of `row` elements. */
static void check_rows(uint64_t *state, int64_t entries, int64_t row,
                       const struct element_format *f)
{
    const struct naive n = {.shape = {2, {entries, row}},
                            .maps = {PERMUTATION_FLIP, PERMUTATION_KEEP},
                            .batch_axis = -1};

    mover_case_check(state, &n, f);
}

/* Each side of every small copy, block and vector width, and of the C
 * library's. */
UNIT_TEST(movers_move_rows_of_every_size)
{
    static const int64_t long_rows[] = {127, 128,  129,  255,  256,
                                        257, 1000, 4095, 4096, 4097};
    static const struct element_format byte = {8, false};
    uint64_t state = 3;

    for (int64_t row = 1; row <= 100; row++)
        for (int64_t entries = 2; entries <= 5; entries++)
            check_rows(&state, entries, row, &byte);
    for (int i = 0; i < COUNT(long_rows); i++)
        check_rows(&state, 3, long_rows[i], &byte);
}

LOOP_TEST(movers_flip_innermost_axis_of_every_length, NAIVE_FORMATS)
{
    const struct element_format *f = &naive_formats[_i];
    uint64_t state = 4;

    for (int64_t entries = 0; entries <= 150; entries++)
        check_rows(&state, entries, 1, f);
}

/* Time-major: columns with their own lengths, a stride apart. */
LOOP_TEST(movers_flip_lengths_of_columns, NAIVE_FORMATS)
{
    static struct naive n;
    uint64_t state = 5;

    for (int64_t row = 1; row <= 3; row++) {
        n = (struct naive){
            .shape = {3, {70, 71, row}},
            .maps = {PERMUTATION_FLIP_LENS},
            .batch_axis = 1,
        };
        for (int64_t b = 0; b < 71; b++)
            n.lens[b] = b;
        mover_case_check(&state, &n, &naive_formats[_i]);
    }
}

/* More than a MiB at a time: rows and spans that are cut in pieces. The
 * odd sizes make the pieces of packed rows start inside a byte. */
static const struct {
    int64_t dims[3];
    enum permutation_map map;
    int64_t lens[2];
    struct element_format format;
} large[] = {
    {{3, 1, (3 << 19) + 5}, PERMUTATION_FLIP, {0}, {8, false}},
    {{(5 << 19) + 3, 1, 1}, PERMUTATION_FLIP, {0}, {8, false}},
    {{9, 1, 300001}, PERMUTATION_FLIP, {0}, {8, false}},
    {{2, 1, (5 << 18) + 3}, PERMUTATION_FLIP, {0}, {4, true}},
    {{(5 << 18) + 3, 1, 1}, PERMUTATION_FLIP, {0}, {2, true}},
    {{1, 1, (5 << 20) + 3}, PERMUTATION_KEEP, {0}, {1, true}},
    {{1, 1, (5 << 19) + 3}, PERMUTATION_KEEP, {0}, {8, false}},
    {{(1 << 20) + 9, 2, 1}, PERMUTATION_FLIP_LENS, {7, 1 << 20}, {8, false}},
    {{2, 1 << 20, 2}, PERMUTATION_FLIP, {0}, {8, false}},
    /* So large that copies go past the caches. */
    {{301, 1, 7001}, PERMUTATION_FLIP, {0}, {128, false}},
    {{(1 << 21) + 5, 1, 1}, PERMUTATION_FLIP, {0}, {128, false}},
    {{3000, 2, 351}, PERMUTATION_FLIP_LENS, {7, 3000}, {128, false}},
    {{33001, 1, 1021}, PERMUTATION_FLIP, {0}, {8, false}},
    {{6001, 1, 5601}, PERMUTATION_FLIP, {0}, {8, false}},
};

LOOP_TEST(movers_cut_large_spans, COUNT(large))
{
    const struct naive n = {
        .shape = {3, {large[_i].dims[0], large[_i].dims[1], large[_i].dims[2]}},
        .maps = {large[_i].map},
        .batch_axis = large[_i].map == PERMUTATION_FLIP_LENS ? 1 : -1,
        .lens = {large[_i].lens[0], large[_i].lens[1]},
    };
    uint64_t state = 6;

    mover_case_check(&state, &n, &large[_i].format);
}

/* More than a MiB of sequences, each with a length of its own: they are moved
 * in several calls. */
static const struct element_format sequence_formats[] = {
    {8, false}, {16, false}, {4, false}, {1, true}};

LOOP_TEST(movers_cut_many_sequences, COUNT(sequence_formats))
{
    static struct naive n;
    uint64_t state = 7;

    n = (struct naive){
        .shape = {2, {4000, 600}},
        .maps = {PERMUTATION_KEEP, PERMUTATION_FLIP_LENS},
        .batch_axis = 0,
    };
    for (int64_t b = 0; b < 4000; b++)
        n.lens[b] = b * 7 % 601;
    mover_case_check(&state, &n, &sequence_formats[_i]);
}

/* Large data of short planes: of less than a cache line, of several, and of so
 * many that planes are moved one at a time. */
static const int64_t planes[][2] = {
    {(12 << 20) / 7 + 5, 7}, {12301, 1031}, {4001, 3203}};

LOOP_TEST(movers_flip_short_planes, COUNT(planes))
{
    static const struct element_format byte = {8, false};
    const struct naive n = {.shape = {2, {planes[_i][0], planes[_i][1]}},
                            .maps = {PERMUTATION_KEEP, PERMUTATION_FLIP},
                            .batch_axis = -1};
    uint64_t state = 8;

    mover_case_check(&state, &n, &byte);
}

/* No elements, and 2^62 entries on the other axes. */
UNIT_TEST(movers_spend_no_time_on_empty_tensors)
{
    static struct naive n;
    struct permutation p;
    unsigned char data = 0x5A;

    n = (struct naive){
        .shape = {3, {INT64_C(1) << 62, INT64_C(1) << 62, 0}},
        .maps = {PERMUTATION_FLIP, PERMUTATION_KEEP, PERMUTATION_FLIP},
        .batch_axis = -1,
    };
    naive_permutation(&n, &p);
    for (int f = 0; f < NAIVE_FORMATS; f++) {
        const struct element_format *format = &naive_formats[f];

        ck_assert(move_swap(&p, *format, &data, NULL, NULL));
        ck_assert(move_copy(&p, *format, &data, &data, NULL, NULL));
    }
    ck_assert_uint_eq(data, 0x5A);
    permutation_free(&p);
}
