/* libflip by its header, judged by the naive loop. */
#include "kernels/flip/flip.h"

#include <pthread.h>
#include <stdbool.h>

#include "kernels/core/dtype.h"
#include "tests/heap_in_use.h"
#include "tests/kernels/naive.h"
#include "tests/unit.h"

enum { GUARD = 64, MOST = 16 * 4096 };

static struct flip *accepted(struct flip *flip, const char *error)
{
    if (!flip)
        ck_abort_msg("refused: %s", error);
    return flip;
}

/* Describes a case whose axes are all flipped in one way: the flips by a list
 * of axes, the negative ones included. */
static struct flip *describe(const struct naive *n, enum flip_datatype datatype)
{
    struct flip_tensor x = {datatype, n->shape.rank, n->shape.dims, NULL};
    int64_t batch = n->batch_axis < 0 ? 0 : n->shape.dims[n->batch_axis];
    char error[FLIP_ERROR_SIZE];
    int16_t axes[SHAPE_MAX_RANK];
    int64_t count = 0;

    for (int i = 0; i < n->shape.rank; i++) {
        if (n->maps[i] == PERMUTATION_FLIP_LENS)
            return accepted(
                flip_reverse_sequence(
                    &x, &(struct flip_tensor){FLIP_INT64, 1, &batch, n->lens},
                    n->batch_axis, i - n->shape.rank, error),
                error);
        if (n->maps[i] == PERMUTATION_FLIP)
            axes[count++] = (int16_t)(i % 2 ? i : i - n->shape.rank);
    }
    return accepted(
        flip_reverse(&x, &(struct flip_tensor){FLIP_INT16, 1, &count, axes},
                     error),
        error);
}

static void keep_one_kind(struct naive *n)
{
    for (int i = 0; n->batch_axis >= 0 && i < n->shape.rank; i++)
        if (n->maps[i] == PERMUTATION_FLIP)
            n->maps[i] = PERMUTATION_KEEP;
}

/* Moves random bytes in place and as a copy, at any alignment. */
static void check_moves(uint64_t *state, const struct naive *n,
                        enum flip_datatype datatype)
{
    static unsigned char from[MOST + 2 * GUARD], to[MOST + 2 * GUARD],
        expected[MOST + 2 * GUARD];
    struct element_format format = dtype_format((enum dtype)datatype);
    struct flip *flip = describe(n, datatype);
    size_t at = naive_below(state, GUARD);
    void *scratch = naive_below(state, 2) ? malloc(flip_scratch(flip)) : NULL;

    ck_assert_uint_eq(flip_bytes(flip), naive_bytes(&format, naive_count(n)));
    naive_fill(state, from, sizeof(from));
    memcpy(expected, from, sizeof(from));
    for (uint64_t i = 0; i < naive_count(n); i++)
        naive_copy_element(&format, from + at, naive_source(n, i),
                           expected + at, i);
    memcpy(to, from, sizeof(from));
    flip_in_place(flip, to + at, scratch);
    ck_assert_mem_eq(to, expected, sizeof(to));
    memcpy(to, from, sizeof(from));
    memset(to + at, 0x5A, flip_bytes(flip));
    flip_copy(flip, from + at, to + at, scratch);
    ck_assert_mem_eq(to, expected, sizeof(to)); /* and bits of no element */
    free(scratch);
    flip_free(flip);
}

UNIT_TEST(moves_are_those_of_the_formula)
{
    static const enum flip_datatype datatypes[] = {
        FLIP_BOOL,  FLIP_FP16,       FLIP_FP32,  FLIP_COMPLEX64, FLIP_INT4,
        FLIP_UINT1, FLIP_COMPLEX128, FLIP_UINT2, FLIP_FP8_E4M3};
    static struct naive n;
    uint64_t state = 20260929;

    for (int i = 0; i < 1000; i++) {
        naive_random_case(&state, &n);
        keep_one_kind(&n);
        for (int d = 0; d < COUNT(datatypes); d++)
            check_moves(&state, &n, datatypes[d]);
    }
}

/* [4, 3] of the numbers 0 to 11, time-major. */
static const int64_t dims[] = {4, 3}, three[] = {3}, two[] = {2},
                     column[] = {3, 1};
static const int64_t lengths[] = {4, 3, 2};
static const int64_t long_lengths[] = {4, 5, 2};
static const float halves[] = {4, 2.5F, 1};
static const struct flip_tensor x = {FLIP_INT8, 2, dims, NULL};
static const struct flip_tensor lens = {FLIP_INT64, 1, three, lengths};

static void check_lengths(enum flip_datatype datatype, const void *values)
{
    static const char reversed[] = {9, 7, 5, 6, 4, 2, 3, 1, 8, 0, 10, 11};
    const struct flip_tensor list = {datatype, 1, three, values};
    char data[12], error[FLIP_ERROR_SIZE] = "untouched";
    struct flip *flip = flip_reverse_sequence(&x, &list, 1, 0, error);

    for (char i = 0; i < 12; i++)
        data[(int)i] = i;
    flip_in_place(accepted(flip, error), data, NULL);
    ck_assert_mem_eq(data, reversed, sizeof(data));
    ck_assert_str_eq(error, "untouched");
    flip_free(flip);
}

UNIT_TEST(lengths_have_any_type)
{
    check_lengths(FLIP_INT64, lengths);
    check_lengths(FLIP_INT32, (int32_t[]){4, 3, 2});
    check_lengths(FLIP_UINT8, (uint8_t[]){4, 3, 2});
    check_lengths(FLIP_FP32, (float[]){4, 3, 2});
    check_lengths(FLIP_UINT64, (uint64_t[]){4, 3, 2});
}

UNIT_TEST(axes_are_indexes_or_a_mask)
{
    static const char rows[] = {9, 10, 11, 6, 7, 8, 3, 4, 5, 0, 1, 2};
    const struct {
        enum flip_datatype datatype;
        const void *values;
    } lists[] = {{FLIP_BOOL, (bool[]){true, false}},
                 {FLIP_INT32, (int32_t[]){0, -2}},
                 {FLIP_UINT8, (uint8_t[]){0, 0}}};

    for (int l = 0; l < COUNT(lists); l++) {
        const struct flip_tensor list = {lists[l].datatype, 1, two,
                                         lists[l].values};
        struct flip *flip = accepted(flip_reverse(&x, &list, NULL), "");
        char data[12], copy[12];

        for (char i = 0; i < 12; i++)
            data[(int)i] = i;
        flip_copy(flip, data, copy, NULL);
        ck_assert_mem_eq(copy, rows, sizeof(copy));
        flip_free(flip);
    }
}

UNIT_TEST(a_scalar_and_an_empty_tensor)
{
    const int64_t none = 0, empty[] = {0, INT64_MAX, 2};
    const struct flip_tensor no_axes = {FLIP_INT64, 1, &none, NULL};
    const struct flip_tensor no_lens = {FLIP_INT32, 1, &none, NULL};
    const struct flip_tensor scalar = {FLIP_FP64, 0, NULL, NULL};
    const struct flip_tensor nothing = {FLIP_FP64, 3, empty, NULL};
    struct flip *flip = accepted(flip_reverse(&scalar, &no_axes, NULL), "");
    double one = 1, other = 0;

    ck_assert_uint_eq(flip_bytes(flip), sizeof(one));
    flip_copy(flip, &one, &other, NULL);
    ck_assert(other == one);
    flip_free(flip);
    flip = accepted(flip_reverse_sequence(&nothing, &no_lens, 0, 1, NULL), "");
    ck_assert_uint_eq(flip_bytes(flip), 0);
    flip_in_place(flip, NULL, NULL);
    flip_free(flip);
    flip_free(NULL);
}

enum kind { SEQUENCE, GRADIENT, AXES };

static const struct refusal {
    enum kind kind;
    struct flip_tensor data, control;
    int batch, time;
    const char *error;
} refusals[] = {
    {SEQUENCE,
     {FLIP_INT8, 2, dims, NULL},
     {FLIP_INT64, 1, three, long_lengths},
     1,
     0,
     "sequence_lens[1] is 5, but axis 0 has 4 entries"},
    {SEQUENCE,
     {FLIP_INT8, 2, dims, NULL},
     {FLIP_INT64, 1, two, lengths},
     1,
     0,
     "sequence_lens has 2 entries, but axis 1 has 3"},
    {SEQUENCE,
     {FLIP_INT8, 2, dims, NULL},
     {FLIP_FP32, 1, three, halves},
     1,
     0,
     "sequence_lens[1] is 2.5, which is not a whole number"},
    {SEQUENCE,
     {FLIP_INT8, 2, dims, NULL},
     {FLIP_BOOL, 1, three, lengths},
     1,
     0,
     "sequence_lens is BOOL, but it must be an integer type of 8 to 64 bits, "
     "FP16, BF16, FP32 or FP64"},
    {SEQUENCE,
     {FLIP_INT8, 2, dims, NULL},
     {FLIP_INT64, 1, three, lengths},
     2,
     0,
     "batch_axis is 2, but it must be from -2 to 1 for rank 2"},
    {SEQUENCE,
     {FLIP_INT8, 2, dims, NULL},
     {FLIP_INT64, 1, three, lengths},
     1,
     -1,
     "batch_axis 1 and time_axis -1 are both axis 1"},
    {SEQUENCE,
     {FLIP_INT8, 1, dims, NULL},
     {FLIP_INT64, 1, three, lengths},
     1,
     0,
     "input has rank 1, but it must be at least 2"},
    {SEQUENCE,
     {FLIP_BYTES, 2, dims, NULL},
     {FLIP_INT64, 1, three, lengths},
     1,
     0,
     "input is BYTES, whose elements have no fixed size"},
    {SEQUENCE,
     {99, 2, dims, NULL},
     {FLIP_INT64, 1, three, lengths},
     1,
     0,
     "input has datatype 99, but they are from 0 to 24"},
    {SEQUENCE,
     {FLIP_INT8, 33, dims, NULL},
     {FLIP_INT64, 1, three, lengths},
     1,
     0,
     "input has rank 33, but it must be from 0 to 32"},
    {SEQUENCE,
     {FLIP_INT8, 2, dims, NULL},
     {FLIP_INT64, 2, column, NULL},
     1,
     0,
     "the data of sequence_lens is NULL"},
    {SEQUENCE,
     {FLIP_INT8, 2, (const int64_t[]){4, -3}, NULL},
     {FLIP_INT64, 1, three, lengths},
     1,
     0,
     "dimension 1 of input is -3, but it must not be negative"},
    {SEQUENCE,
     {FLIP_FP64, 2, (const int64_t[]){INT64_MAX, 3}, NULL},
     {FLIP_INT64, 1, three, lengths},
     1,
     0,
     "input has shape [9223372036854775807, 3], which is 2^63 elements or "
     "more"},
    {SEQUENCE,
     {FLIP_FP64, 2, (const int64_t[]){INT64_MAX, 1}, NULL},
     {FLIP_INT64, 1, three, lengths},
     1,
     0,
     "input has 9223372036854775807 elements of FP64, which is 2^63 bytes or "
     "more"},
    {GRADIENT,
     {FLIP_INT8, 2, dims, NULL},
     {FLIP_INT64, 1, three, lengths},
     1,
     0,
     "dY is INT8, but a gradient must be FP16, BF16, FP32, FP64, COMPLEX64 "
     "or COMPLEX128"},
    {AXES,
     {FLIP_INT8, 2, dims, NULL},
     {FLIP_INT64, 1, three, lengths},
     0,
     0,
     "axis[0] is 4, but it must be from -2 to 1 for rank 2"},
    {AXES,
     {FLIP_INT8, 2, dims, NULL},
     {FLIP_BOOL, 1, three, lengths},
     0,
     0,
     "axis has 3 entries, but in mask mode it must have one for each of the 2 "
     "axes of data"},
    {AXES,
     {FLIP_INT8, 2, dims, NULL},
     {FLIP_FP32, 1, three, halves},
     0,
     0,
     "axis is FP32, but in index mode it must be an integer type of 8 to 64 "
     "bits"},
};

static struct flip *try(const struct refusal *r, char *error)
{
    if (r->kind == AXES)
        return flip_reverse(&r->data, &r->control, error);
    return (r->kind == GRADIENT ? flip_reverse_sequence_grad
                                : flip_reverse_sequence)(
        &r->data, &r->control, r->batch, r->time, error);
}

LOOP_TEST(refusals_name_argument_and_limit, COUNT(refusals))
{
    char error[FLIP_ERROR_SIZE];
    size_t before = 0;

    for (int i = 0; i < 20; i++) {
        ck_assert_ptr_null(try(&refusals[_i], error));
        ck_assert_str_eq(error, refusals[_i].error);
        ck_assert_ptr_null(try(&refusals[_i], NULL));
        if (i == 9)
            before = heap_in_use();
    }
    ck_assert_uint_eq(heap_in_use(), before);
}

UNIT_TEST(gradients_are_scaled)
{
    const struct flip_tensor dy = {FLIP_FP32, 2, dims, NULL};
    struct flip *flip =
        accepted(flip_reverse_sequence_grad(&dy, &lens, 1, 0, NULL), "");
    uint32_t quiet = 0x7F800001; /* a signalling NaN */
    float data[12];

    for (int i = 0; i < 12; i++)
        data[i] = (float)i;
    memcpy(&data[11], &quiet, sizeof(quiet));
    flip_in_place(flip, data, NULL);
    ck_assert_int_eq(flip_scale(flip, data, 1), 0);
    ck_assert_mem_eq(&data[11], &quiet, sizeof(quiet));
    ck_assert_int_eq(flip_scale(flip, data, -0.5), 0);
    ck_assert(data[0] == -4.5F && data[1] == -3.5F && data[10] == -5);
    flip_free(flip);
    flip = accepted(flip_reverse_sequence(&x, &lens, 1, 0, NULL), "");
    ck_assert_int_eq(flip_scale(flip, data, 2), -1);
    ck_assert(data[0] == -4.5F);
    flip_free(flip);
}

enum { THREADS = 8, ROUNDS = 50, TIME = 100, BATCH = 37 };

struct shared {
    const struct flip *flip;
    const uint16_t *from, *expected;
};

static void *copies(void *context)
{
    static const size_t bytes = TIME * BATCH * sizeof(uint16_t);
    const struct shared *shared = context;
    uint16_t *to = malloc(bytes);
    void *scratch = malloc(flip_scratch(shared->flip));
    bool same = true;

    for (int i = 0; i < ROUNDS; i++) {
        memset(to, 0, bytes);
        flip_copy(shared->flip, shared->from, to, scratch);
        same = same && memcmp(to, shared->expected, bytes) == 0;
        flip_in_place(shared->flip, to, scratch);
        same = same && memcmp(to, shared->from, bytes) == 0;
    }
    free(scratch);
    free(to);
    return same ? context : NULL;
}

UNIT_TEST(threads_share_a_description)
{
    static uint16_t from[TIME * BATCH], expected[TIME * BATCH];
    const int64_t shape[] = {TIME, BATCH}, batch = BATCH;
    const struct flip_tensor data = {FLIP_FP16, 2, shape, NULL};
    int32_t counts[BATCH];
    const struct flip_tensor list = {FLIP_INT32, 1, &batch, counts};
    pthread_t threads[THREADS];
    struct shared shared = {.from = from, .expected = expected};
    struct flip *flip;
    void *same;

    for (int b = 0; b < BATCH; b++)
        counts[b] = b * 29 % (TIME + 1);
    for (int i = 0; i < TIME * BATCH; i++) {
        int t = i / BATCH, len = counts[i % BATCH];

        from[i] = (uint16_t)i;
        expected[i] =
            (uint16_t)(t < len ? (len - 1 - t) * BATCH + i % BATCH : i);
    }
    flip = accepted(flip_reverse_sequence(&data, &list, 1, 0, NULL), "");
    shared.flip = flip;
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, copies, &shared), 0);
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], &same), 0);
        ck_assert_ptr_nonnull(same);
    }
    flip_free(flip);
}
