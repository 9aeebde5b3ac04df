/* Graiphic's ReverseSequence node and its backward pass. */
#include "kernels/ops/reverse_sequence.h"

static const struct attribute forward_attributes[] = {
    [REVERSE_SEQUENCE_BATCH] = {.name = "batch_axis", .fallback = 1},
    [REVERSE_SEQUENCE_TIME] = {.name = "time_axis", .fallback = 0},
    {
        .name = "training",
        .alias = "training?",
        .kind = ATTRIBUTE_BOOL,
        .role = ATTRIBUTE_TRAINING,
        .fallback = 1,
    },
    {
        .name = "lda_coeff",
        .alias = "lda coeff",
        .kind = ATTRIBUTE_FLOAT,
        .role = ATTRIBUTE_COEFFICIENT,
        .fallback = 1,
    },
    {
        .name = "name",
        .kind = ATTRIBUTE_TEXT,
        .role = ATTRIBUTE_ECHO,
    },
    {
        .name = "specified_outputs_name",
        .kind = ATTRIBUTE_TEXT,
        .role = ATTRIBUTE_OUTPUT_NAME,
    },
    {0},
};

static const struct attribute backward_attributes[] = {
    [REVERSE_SEQUENCE_BATCH] = {.name = "batch_axis", .fallback = 1},
    [REVERSE_SEQUENCE_TIME] = {.name = "time_axis", .fallback = 0},
    {
        .name = "lda_coeff",
        .alias = "lda coeff",
        .kind = ATTRIBUTE_FLOAT,
        .role = ATTRIBUTE_COEFFICIENT,
        .fallback = 1,
    },
    {
        .name = "backward_context",
        .kind = ATTRIBUTE_TEXT,
        .role = ATTRIBUTE_CONTEXT,
    },
    {0},
};

static bool describe_forward(const struct op_call *call, struct permutation *p,
                             struct status *st)
{
    static const struct reverse_sequence_policy policy = {
        .attributes = forward_attributes,
    };

    return reverse_sequence_describe(call, &policy, p, st);
}

static bool describe_backward(const struct op_call *call, struct permutation *p,
                              struct status *st)
{
    static const struct reverse_sequence_policy policy = {
        .attributes = backward_attributes,
        .only_scalable = true,
    };

    return reverse_sequence_describe(call, &policy, p, st);
}

const struct op op_graiphic_reverse_sequence = {
    .name = "graiphic.ReverseSequence",
    .version = "1",
    .summary = "Reverses sequences as the ONNX operator does; in training it "
               "answers with the context of its backward pass",
    .data = "input",
    .control = "sequence_lens",
    .control_datatype = "INT64",
    .output = "Y",
    .takes = DTYPE_ALL_NAMES,
    .attributes = forward_attributes,
    .describe = describe_forward,
};

const struct op op_graiphic_reverse_sequence_grad = {
    .name = "graiphic.ReverseSequenceGrad",
    .version = "1",
    .summary = "The backward pass: lda_coeff times the reversed dY",
    .data = "dY",
    .control = "sequence_lens",
    .control_datatype = "INT64",
    .output = "dX",
    .takes = "FP16, BF16, FP32, FP64, COMPLEX64, COMPLEX128",
    .scales = true,
    .attributes = backward_attributes,
    .describe = describe_backward,
};
