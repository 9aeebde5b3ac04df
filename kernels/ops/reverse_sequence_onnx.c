/* ONNX ReverseSequence-10: time-major unless told otherwise. */
#include "kernels/ops/reverse_sequence.h"

static const struct attribute attributes[] = {
    [REVERSE_SEQUENCE_BATCH] = {.name = "batch_axis", .fallback = 1},
    [REVERSE_SEQUENCE_TIME] = {.name = "time_axis", .fallback = 0},
    {0},
};

static bool describe(const struct op_call *call, struct permutation *p,
                     struct status *st)
{
    static const struct reverse_sequence_policy policy = {
        .attributes = attributes,
    };

    return reverse_sequence_describe(call, &policy, p, st);
}

const struct op op_onnx_reverse_sequence = {
    .name = "onnx.ReverseSequence",
    .version = "10",
    .summary = "Reverses the first sequence_lens[b] entries along the time "
               "axis for each entry b of the batch axis",
    .data = "input",
    .control = "sequence_lens",
    .control_datatype = "INT64",
    .output = "Y",
    .takes = DTYPE_ALL_NAMES,
    .attributes = attributes,
    .describe = describe,
};
