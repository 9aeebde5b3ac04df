/* The tables of the operators in SOURCE: the names of inputs, output and
 * attributes, what an absent attribute is, and which axes and lengths are
 * taken, as the definitions have them. */
#include "tests/proofs/harness.h"

#include "kernels/ops/op.h"

#include SOURCE

static bool is(const char *text, const char *wanted)
{
    size_t i = 0;

    while (text[i] && text[i] == wanted[i])
        i++;
    return text[i] == wanted[i];
}

static void expect_op(const struct op *op, const char *name,
                      const char *version, const char *data,
                      const char *control, const char *output)
{
    CHECK(is(op->name, name) && is(op->version, version));
    CHECK(is(op->data, data) && is(op->control, control));
    CHECK(is(op->output, output) && op->describe == describe);
}

static void expect_attributes(const struct op *op,
                              const struct attribute *wanted)
{
    size_t i = 0;

    for (; wanted[i].name; i++) {
        const struct attribute *is_there = &op->attributes[i];

        CHECK(is_there->name && is(is_there->name, wanted[i].name));
        CHECK(!is_there->alias == !wanted[i].alias);
        CHECK(!is_there->alias || is(is_there->alias, wanted[i].alias));
        CHECK(is_there->kind == wanted[i].kind &&
              is_there->role == wanted[i].role &&
              is_there->fallback == wanted[i].fallback);
    }
    CHECK(!op->attributes[i].name);
}

#if IS_FAMILY
#define AXES                                                                   \
    {"batch_axis", NULL, 0, 0, 1},                                             \
    {                                                                          \
        "time_axis", NULL, 0, 0, 0                                             \
    }
#define LDA_COEFF                                                              \
    {                                                                          \
        "lda_coeff", "lda coeff", ATTRIBUTE_FLOAT, ATTRIBUTE_COEFFICIENT, 1    \
    }
static const struct attribute onnx[] = {AXES, {0}};
static const struct attribute openvino[] = {
    {"batch_axis", NULL, 0, 0, 0}, {"seq_axis", NULL, 0, 0, 1}, {0}};
static const struct attribute forward[] = {
    AXES,
    {"training", "training?", ATTRIBUTE_BOOL, ATTRIBUTE_TRAINING, 1},
    LDA_COEFF,
    {"name", NULL, ATTRIBUTE_TEXT, ATTRIBUTE_ECHO, 0},
    {"specified_outputs_name", NULL, ATTRIBUTE_TEXT, ATTRIBUTE_OUTPUT_NAME, 0},
    {0}};
static const struct attribute backward[] = {
    AXES,
    LDA_COEFF,
    {"backward_context", NULL, ATTRIBUTE_TEXT, ATTRIBUTE_CONTEXT, 0},
    {0}};

int main(void)
{
    expect_op(&op_onnx_reverse_sequence, "onnx.ReverseSequence", "10", "input",
              "sequence_lens", "Y");
    expect_attributes(&op_onnx_reverse_sequence, onnx);
    expect_op(&op_openvino_reverse_sequence, "openvino.ReverseSequence", "1",
              "data", "seq_lengths", "output");
    expect_attributes(&op_openvino_reverse_sequence, openvino);
    expect_op(&op_graiphic_reverse_sequence, "graiphic.ReverseSequence", "1",
              "input", "sequence_lens", "Y");
    expect_attributes(&op_graiphic_reverse_sequence, forward);
    expect_op(&op_graiphic_reverse_sequence_grad,
              "graiphic.ReverseSequenceGrad", "1", "dY", "sequence_lens", "dX");
    expect_attributes(&op_graiphic_reverse_sequence_grad, backward);
    CHECK(!op_onnx_reverse_sequence.scales &&
          !op_openvino_reverse_sequence.scales &&
          !op_graiphic_reverse_sequence.scales &&
          op_graiphic_reverse_sequence_grad.scales);
    CHECK(op_openvino_reverse_sequence.rules == (ANY_AXIS | ANY_NUMBERS) &&
          !op_onnx_reverse_sequence.rules &&
          !op_graiphic_reverse_sequence.rules &&
          !op_graiphic_reverse_sequence_grad.rules);
    REACHED();
}
#else
static const struct attribute mode[] = {
    {"mode", NULL, ATTRIBUTE_TEXT, ATTRIBUTE_PLAIN, 0}, {0}};

int main(void)
{
    expect_op(&op_openvino_reverse, "openvino.Reverse", "1", "data", "axis",
              "output");
    expect_attributes(&op_openvino_reverse, mode);
    CHECK(!op_openvino_reverse.scales);
    REACHED();
}
#endif
