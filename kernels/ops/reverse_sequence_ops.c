/* The operators of the family: names, attributes and rules. */
#include "kernels/ops/reverse_sequence.h"

/* Attributes of several operators: the axes, time-major unless told otherwise,
 * and the coefficient. */
#define TIME_MAJOR_AXES                                                        \
    [REVERSE_SEQUENCE_BATCH] = {.name = "batch_axis", .fallback = 1},          \
    [REVERSE_SEQUENCE_TIME] = {.name = "time_axis", .fallback = 0}
#define COEFFICIENT                                                            \
    {                                                                          \
        .name = "lda_coeff", .alias = "lda coeff", .kind = ATTRIBUTE_FLOAT,    \
        .role = ATTRIBUTE_COEFFICIENT, .fallback = 1,                          \
    }

/* ONNX ReverseSequence-10. */
static const struct attribute onnx_attributes[] = {
    TIME_MAJOR_AXES,
    {0},
};

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
    .attributes = onnx_attributes,
    .describe = reverse_sequence_describe,
};

/* OpenVINO ReverseSequence-1: batch-major unless told otherwise. */
static const struct attribute openvino_attributes[] = {
    [REVERSE_SEQUENCE_BATCH] = {.name = "batch_axis", .fallback = 0},
    [REVERSE_SEQUENCE_TIME] = {.name = "seq_axis", .fallback = 1},
    {0},
};

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
    .attributes = openvino_attributes,
    .rules = REVERSE_SEQUENCE_ANY_AXIS | REVERSE_SEQUENCE_ANY_NUMBERS,
    .describe = reverse_sequence_describe,
};

/* Graiphic's ReverseSequence node and its backward pass. */
static const struct attribute forward_attributes[] = {
    TIME_MAJOR_AXES,
    {
        .name = "training",
        .alias = "training?",
        .kind = ATTRIBUTE_BOOL,
        .role = ATTRIBUTE_TRAINING,
        .fallback = 1,
    },
    COEFFICIENT,
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
    TIME_MAJOR_AXES,
    COEFFICIENT,
    {
        .name = "backward_context",
        .kind = ATTRIBUTE_TEXT,
        .role = ATTRIBUTE_CONTEXT,
    },
    {0},
};

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
    .describe = reverse_sequence_describe,
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
    .rules = REVERSE_SEQUENCE_ONLY_SCALABLE,
    .describe = reverse_sequence_describe,
};
