#include "tests/api/infer/form_case.h"

#include <check.h>
#include <string.h>

#include "tests/kernels/naive.h"

/* model, data, control, output */
#define ONNX_NAMES "onnx.ReverseSequence", "input", "sequence_lens", "Y"
#define SEQUENCE_NAMES                                                         \
    "openvino.ReverseSequence", "data", "seq_lengths", "output"
#define REVERSE_NAMES "openvino.Reverse", "data", "axis", "output"
#define GRAIPHIC_NAMES "graiphic.ReverseSequence", "input", "sequence_lens", "Y"
#define GRAD_NAMES "graiphic.ReverseSequenceGrad", "dY", "sequence_lens", "dX"

#define SHAPE(rank, ...)                                                       \
    {                                                                          \
        rank,                                                                  \
        {                                                                      \
            __VA_ARGS__                                                        \
        }                                                                      \
    }
#define LIST(...)                                                              \
    {                                                                          \
        __VA_ARGS__                                                            \
    }

/* In the order of struct form_case. */
const struct form_case form_cases[FORM_CASES] = {
    {ONNX_NAMES, "", "INT64", 8, "[0,3,5]", 3, LIST(0, 3, 5), SHAPE(2, 5, 3), 0,
     1, LIST(false)},
    {ONNX_NAMES, "\"time_axis\":1,\"batch_axis\":0,", "INT64", 8, "[4,1]", 2,
     LIST(4, 1), SHAPE(3, 2, 5, 3), 1, 0, LIST(false)},
    {SEQUENCE_NAMES, "", "UINT8", 1, "[2,5,0]", 3, LIST(2, 5, 0),
     SHAPE(3, 3, 5, 1), 1, 0, LIST(false)},
    {SEQUENCE_NAMES, "\"seq_axis\":0,\"batch_axis\":-1,", "INT16", 2, "[3,2,1]",
     3, LIST(3, 2, 1), SHAPE(3, 3, 3, 3), 0, 2, LIST(false)},
    {REVERSE_NAMES, "\"mode\":\"index\",", "INT32", 4, "[-1,0,2]", 3,
     LIST(-1, 0, 2), SHAPE(3, 3, 3, 5), 0, -1, LIST(true, false, true)},
    {REVERSE_NAMES, "\"mode\":\"mask\",", "BOOL", 1, "[false,true]", 2,
     LIST(0, 1), SHAPE(2, 3, 7), 0, -1, LIST(false, true)},
    {REVERSE_NAMES, "\"mode\":\"mask\",", "BOOL", 1, "[]", 0, LIST(0),
     SHAPE(0, 0), 0, -1, LIST(false)},
    {REVERSE_NAMES, "\"mode\":\"index\",", "UINT64", 8, "[0]", 1, LIST(0),
     SHAPE(1, 13), 0, -1, LIST(true)},
    {GRAIPHIC_NAMES, "\"training\":false,\"lda_coeff\":3,", "INT64", 8,
     "[3,0,2]", 3, LIST(3, 0, 2), SHAPE(2, 3, 3), 0, 1, LIST(false)},
    {GRAD_NAMES, "\"lda_coeff\":1,", "INT64", 8, "[3,0,2]", 3, LIST(3, 0, 2),
     SHAPE(2, 3, 3), 0, 1, LIST(false)},
};

uint64_t form_case_order(const struct form_case *c, bool moved, uint64_t *order)
{
    struct naive n = {.shape = c->shape, .batch_axis = c->batch};
    uint64_t count;

    for (int i = 0; i < c->shape.rank; i++)
        n.maps[i] =
            c->batch < 0 && c->flips[i] ? PERMUTATION_FLIP : PERMUTATION_KEEP;
    if (c->batch >= 0)
        n.maps[c->time] = PERMUTATION_FLIP_LENS;
    for (int i = 0; i < c->control_count; i++)
        n.lens[i] = c->control_values[i];
    count = naive_count(&n);
    ck_assert_uint_le(count, FORM_MOST);
    for (uint64_t i = 0; i < count; i++)
        order[i] = moved ? naive_source(&n, i) : i;
    return count;
}

size_t form_case_control(const struct form_case *c, unsigned char *out)
{
    for (int i = 0; i < c->control_count; i++)
        memcpy(out + (size_t)i * c->control_bytes, &c->control_values[i],
               c->control_bytes);
    return (size_t)c->control_count * c->control_bytes;
}
