/* OpenVINO ReverseSequence-1: batch-major unless told otherwise. */
#include "kernels/ops/reverse_sequence.h"

static const struct attribute attributes[] = {
    [REVERSE_SEQUENCE_BATCH] = {.name = "batch_axis", .fallback = 0},
    [REVERSE_SEQUENCE_TIME] = {.name = "seq_axis", .fallback = 1},
    {0},
};

static bool describe(const struct op_call *call, struct permutation *p,
                     struct status *st)
{
    static const struct reverse_sequence_policy policy = {
        .attributes = attributes,
        .any_axis = true,
        .any_numbers = true,
    };

    return reverse_sequence_describe(call, &policy, p, st);
}

const struct op op_openvino_reverse_sequence = {
    .name = "openvino.ReverseSequence",
    .version = "1",
    .summary = "Reverses the first seq_lengths[b] entries along the sequence "
               "axis for each entry b of the batch axis",
    .data = "data",
    .control = "seq_lengths",
    .control_datatype = "INT64",
    .output = "output",
    .takes = DTYPE_ALL_NAMES,
    .attributes = attributes,
    .describe = describe,
};
