#include "tests/kernels/ops/sequence_case.h"

#include <stdio.h>
#include <string.h>

#include "kernels/ops/op.h"

const struct op *const sequence_ops[SEQUENCE_OPS] = {
    &op_onnx_reverse_sequence,
    &op_graiphic_reverse_sequence,
    &op_graiphic_reverse_sequence_grad,
    &op_openvino_reverse_sequence,
};

void sequence_case_init(struct op_case *c, const struct op *op)
{
    bool batch_major = op == &op_openvino_reverse_sequence;

    op_case_init(c, op, DTYPE_FP32, 3,
                 batch_major ? (int64_t[]){4, 8, 2} : (int64_t[]){8, 4, 2});
    op_case_control(c, DTYPE_INT64, 4, (int64_t[]){8, 0, 1, 5});
}

void sequence_case_refused(struct op_case *c, const char *format,
                           const char *name)
{
    char message[STATUS_MESSAGE_SIZE];
    const char *hole = strstr(format, "@");

    snprintf(message, sizeof(message), "%.*s%s%s", (int)(hole - format), format,
             name, hole + 1);
    op_case_refused(c, message);
}
