#include "kernels/ops/op_table.h"

#include <string.h>

#include "kernels/ops/reverse.h"
#include "kernels/ops/reverse_sequence.h"

const struct op *const op_table[] = {
    &op_onnx_reverse_sequence,
    &op_openvino_reverse_sequence,
    &op_openvino_reverse,
    &op_graiphic_reverse_sequence,
    &op_graiphic_reverse_sequence_grad,
    NULL,
};

const struct op *op_table_find(const char *name, size_t len)
{
    for (int i = 0; op_table[i]; i++)
        if (strlen(op_table[i]->name) == len &&
            memcmp(op_table[i]->name, name, len) == 0)
            return op_table[i];
    return NULL;
}
