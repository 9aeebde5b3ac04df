/* Shapes that are none, that claim too much, or that the data does not have. */
#include "tests/api/ask.h"
#include "tests/api/documents.h"
#include "tests/unit.h"

static const struct refusal refused[] = {
    /* Claims and limits on shapes. */
    {ONNX, DATA_OF("FP32", "[-1]", "[1]"), 400,
     "inputs[0].shape[0] is -1|0 or more"},
    {ONNX, DATA_OF("FP32", "[2,-1]", "[1,2]"), 400,
     "inputs[0].shape[1] is -1|0 or more"},
    {ONNX, DATA_OF("FP32", "[2,2.50]", "[1,2,3,4]"), 400,
     "inputs[0].shape[1] is 2.50, but a dim is an integer"},
    {ONNX, DATA_OF("FP32", "[1e400,2]", "[1,2,3,4]"), 400,
     "inputs[0].shape[0] is 1e400, but a dim is an integer"},
    {ONNX, DATA_OF("FP32", "[-2.0,2]", "[1,2,3,4]"), 400,
     "inputs[0].shape[0] is -2.0, but a dim is 0 or more"},
    {ONNX, DATA_OF("FP32", "[-200e-2,2]", "[1,2,3,4]"), 400,
     "inputs[0].shape[0] is -200e-2, but a dim is 0 or more"},
    {ONNX, DATA_OF("FP32", "[true,2]", "[1,2]"), 400,
     "inputs[0].shape[0] is a boolean"},
    {ONNX, DATA_OF("FP32", "['2',2]", "[1,2,3,4]"), 400,
     "inputs[0].shape[0] is a string"},
    {ONNX, DATA_OF("FP32", "[2,null]", "[1,2]"), 400,
     "inputs[0].shape[1] is null"},
    {ONNX, DATA_OF("FP32", "[[2,2]]", "[1,2,3,4]"), 400,
     "inputs[0].shape[0] is an array"},
    {ONNX, DATA_OF("FP32", "[16,1152921504606846978]", "[1]"), 400,
     "input has shape [16, 1152921504606846978]|2^63"},
    {ONNX, DATA_OF("FP32", "[4,1152921504606846978]", "[1]"), 400,
     "'input'|4611686018427387912"},
    {ONNX, DATA_OF("FP32", "[4294967296,4294967296]", "[1]"), 400,
     "input has shape|2^63"},
    {ONNX, DATA_OF("INT8", "[4294967296,2147483647]", "[1]"), 400,
     "'input'|9223372032559808512"},
    {ONNX, DATA_OF("INT8", "[9223372036854775807]", "[1]"), 400, "'input'"},
    {ONNX, DATA_OF("INT8", "[2147483648,2,1]", "[1]"), 400, "'input'"},
    {ONNX, DATA_OF("INT8", "[9223372036854775808,0]", "[]"), 400,
     "shape[0] is 9223372036854775808|2^63"},
    {ONNX,
     DATA_OF("INT8",
             "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
             "1,1,1,1,1]",
             "[1]"),
     400, "inputs[0].shape has rank 33|limit is 32"},
    /* The wrong number of elements. */
    {ONNX, DATA_OF("FP32", "[2,2]", "[1,2,3]"), 400, "'input'|3|4"},
    {ONNX, DATA_OF("FP32", "[2,2]", "[1,2,3,4,5]"), 400, "'input'|4"},
    {ONNX, DATA_OF("FP32", "[2,2]", "[[1,2],[3]]"), 400, "'input'"},
    {ONNX, DATA_OF("FP32", "[2,2]", "[[1,2,3,4]]"), 400, "'input'"},
    {ONNX, DATA_OF("FP32", "[2,2]", "[[1,2],3,4]"), 400, "'input'"},
};

REFUSES(shape_is_refused_with_dim_or_both_counts, refused)
