/* The operators' rules through the wire. kernels/ops asks each rule; here is
 * what JSON, the lists and the document add: numbers of any form, the place in
 * the error, and which fault is named when there are several. */
#include "tests/api/documents.h"
#include "tests/unit.h"

#define THREE(lens) ONNX, ONNX_OF("", "INT64", "[3]", lens)
#define TWO(datatype, lens) SEQUENCE, SEQUENCE_OF("", datatype, "[2]", lens)
#define AXES(mode, datatype, shape, axes)                                      \
    REVERSE, REVERSE_OF(mode, datatype, shape, axes)

static const struct {
    const char *model, *json, *data;
} accepted[] = {
    /* Axes, from each end. */
    {TWO("INT64", "[3,2]"), "[3,2,1,5,4,6]"},
    {SEQUENCE,
     SEQUENCE_OF("'batch_axis':-2,'seq_axis':-1", "INT64", "[2]", "[3,2]"),
     "[3,2,1,5,4,6]"},
    {SEQUENCE,
     SEQUENCE_OF("'batch_axis':1,'seq_axis':0", "INT64", "[3]", "[2,0,1]"),
     "[4,2,3,1,5,6]"},
    {SEQUENCE,
     SEQUENCE_OF("'batch_axis':-1,'seq_axis':-2", "INT64", "[3]", "[2,0,1]"),
     "[4,2,3,1,5,6]"},
    {THREE("[2,0,1]"), "[4,2,3,1,5,6]"},
    {ONNX, ONNX_OF("'batch_axis':0,'time_axis':1", "INT64", "[2]", "[0,3]"),
     "[1,2,3,6,5,4]"},
    /* Lengths of every number type, and those that change nothing. */
    {TWO("INT8", "[3,0]"), "[3,2,1,4,5,6]"},
    {TWO("INT16", "[3,1]"), "[3,2,1,4,5,6]"},
    {TWO("INT32", "[3,-0]"), "[3,2,1,4,5,6]"},
    {TWO("UINT8", "[1,2]"), "[1,2,3,5,4,6]"},
    {TWO("UINT16", "[1,2]"), "[1,2,3,5,4,6]"},
    {TWO("UINT32", "[1,2]"), "[1,2,3,5,4,6]"},
    {TWO("UINT64", "[1,2]"), "[1,2,3,5,4,6]"},
    {TWO("FP16", "[1,2.0]"), "[1,2,3,5,4,6]"},
    {TWO("BF16", "[1e0,2]"), "[1,2,3,5,4,6]"},
    {TWO("FP32", "[1,200e-2]"), "[1,2,3,5,4,6]"},
    {TWO("FP64", "[-0.0,2]"), "[1,2,3,5,4,6]"},
    {TWO("INT64", "[0,0]"), "[1,2,3,4,5,6]"},
    {TWO("INT64", "[1,1]"), "[1,2,3,4,5,6]"},
    {TWO("INT64", "[3,3]"), "[3,2,1,6,5,4]"},
    /* Sets of axes. */
    {AXES("index", "INT64", "[0]", "[]"), "[1,2,3,4,5,6]"},
    {AXES("index", "INT8", "[1]", "[-2]"), "[4,5,6,1,2,3]"},
    {AXES("index", "UINT8", "[1]", "[1]"), "[3,2,1,6,5,4]"},
    {AXES("index", "INT32", "[2]", "[0,0]"), "[4,5,6,1,2,3]"},
    {AXES("index", "INT16", "[2]", "[1,-1]"), "[3,2,1,6,5,4]"},
    {AXES("index", "UINT32", "[5]", "[0,1,0,1,0]"), "[6,5,4,3,2,1]"},
    {AXES("mask", "BOOL", "[2]", "[false,false]"), "[1,2,3,4,5,6]"},
    {AXES("mask", "BOOL", "[2]", "[true,true]"), "[6,5,4,3,2,1]"},
    /* A tensor of rank 32. */
    {REVERSE,
     "{'parameters':{'mode':'index'},'inputs':[{'name':'data','datatype':"
     "'INT16','data':[7,8,9],'shape':[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
     "1,1,1,1,1,1,1,1,1,1,1,3]}," INPUT("axis", "INT8", "[2]", "[31,-32]") "]}",
     "[9,8,7]"},
};

LOOP_TEST(rules_accept_allowed_values, COUNT(accepted))
{
    assert_answer_data(ask_json(accepted[_i].model, accepted[_i].json),
                       accepted[_i].data);
}

#define AXIS_7(data)                                                           \
    "{'parameters':{'time_axis':7},'inputs':[" INPUT("input", "INT8", "[2,2]", \
                                                     data) "," LENS "]}"

static const struct refusal refused[] = {
    {ONNX, PARAMETERS("'batch_axis':-9223372036854775808"),
     "batch_axis is -9223372036854775808,|0 or 1"},
    {ONNX, PARAMETERS("'time_axis':4294967296"),
     "time_axis is 4294967296,|0 or 1"},
    {SEQUENCE, SEQUENCE_OF("'seq_axis':-3", "INT64", "[2]", "[1,1]"),
     "seq_axis is -3,|from -2 to 1 for rank 2"},
    {ONNX, DATA_OF("FP32", "[2]", "[1,2]"), "input has rank 1|least 2"},
    /* Lengths. */
    {ONNX, ONNX_OF("", "FP64", "[3]", "[1,1,1]"),
     "sequence_lens is FP64|must be INT64"},
    {TWO("BOOL", "[true,true]"), "seq_lengths is BOOL|integer type|FP64"},
    {TWO("INT4", "[1,1]"), "seq_lengths is INT4|8 to 64"},
    {TWO("BYTES", "['1','1']"), "seq_lengths is BYTES"},
    {TWO("FP8_E4M3", "[1,1]"), "seq_lengths is FP8_E4M3"},
    {ONNX, ONNX_OF("", "INT64", "[]", "[1]"),
     "sequence_lens has rank 0|must be 1"},
    {ONNX, ONNX_OF("", "INT64", "[1,3]", "[1,1,1]"),
     "sequence_lens has rank 2|must be 1"},
    {ONNX, ONNX_OF("", "INT64", "[2]", "[1,1]"),
     "sequence_lens has 2 entries|axis 1 has 3"},
    {ONNX, ONNX_OF("", "INT64", "[0]", "[]"),
     "sequence_lens has 0 entries|axis 1 has 3"},
    {THREE("[1,1,3]"), "sequence_lens[2] is 3|axis 0 has 2 entries"},
    {THREE("[0,1.5,0]"), "data[1] of 'sequence_lens' is 1.5|INT64"},
    {TWO("FP32", "[1,1.5]"), "seq_lengths[1] is 1.5|not a whole number"},
    {TWO("FP16", "[4,1]"), "seq_lengths[0] is 4|axis 1 has 3 entries"},
    /* They are judged also where there is nothing to move. */
    {ONNX, DATA_OF("FP32", "[0,2]", "[]"),
     "sequence_lens[0] is 2|axis 0 has 0 entries"},
    {ONNX, DATA_OF("FP32", "[2,0]", "[]"),
     "sequence_lens has 2 entries|axis 1 has 0"},
    /* Reverse. */
    {REVERSE,
     ASK(INPUT("data", "INT8", "[1]", "[1]"),
         INPUT("axis", "INT8", "[1]", "[0]")),
     "mode is missing|index|mask"},
    {AXES("Index", "INT8", "[1]", "[0]"), "mode must be|not \"Index\""},
    {AXES("index", "BOOL", "[2]", "[true,false]"),
     "axis is BOOL|index mode|integer"},
    {AXES("mask", "BOOL", "[1,2]", "[true,true]"), "axis has rank 2|must be 1"},
    {AXES("mask", "BOOL", "[2]", "[1,0]"), "data[0] of 'axis' is 1|BOOL"},
    {AXES("index", "INT64", "[3]", "[0,2,99]"),
     "axis[1] is 2,|from -2 to 1 for rank 2"},
    /* Document before tensors before operator. */
    {ONNX, ONNX_OF("'seq_axis':1,'time_axis':7", "INT32", "[9]", "[1]"),
     "'seq_axis' is unknown"},
    {ONNX, ONNX_OF("'time_axis':7", "INT64", "[9]", "[1]"),
     "'sequence_lens'|9"},
    {ONNX, DATA_OF("FP32", "[2,3]", "[1,2,3,4]"),
     "data of 'input' has 4 elements|[2, 3] has 6"},
    /* The operator's fault is heard when the data is right. */
    {ONNX, AXIS_7("[1,2,300,4]"), "data[2] of 'input' is 300"},
    {ONNX, AXIS_7("[1,2,3,4]"), "time_axis is 7"},
};

REFUSES(rules_name_argument_index_value_and_limit, refused)
