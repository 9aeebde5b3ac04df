/* The operators' rules through the wire: axes, lengths, shapes, and which fault
 * is named when there are several. */
#include "tests/api/documents.h"
#include "tests/unit.h"

static const struct {
    const char *model, *json, *data;
} accepted[] = {
    /* Axes, from each end. */
    {SEQUENCE, SEQUENCE_OF("", "INT64", "[2]", "[3,2]"), "[3,2,1,5,4,6]"},
    {SEQUENCE,
     SEQUENCE_OF("'batch_axis':-2,'seq_axis':-1", "INT64", "[2]", "[3,2]"),
     "[3,2,1,5,4,6]"},
    {SEQUENCE,
     SEQUENCE_OF("'batch_axis':1,'seq_axis':0", "INT64", "[3]", "[2,0,1]"),
     "[4,2,3,1,5,6]"},
    {SEQUENCE,
     SEQUENCE_OF("'batch_axis':-1,'seq_axis':-2", "INT64", "[3]", "[2,0,1]"),
     "[4,2,3,1,5,6]"},
    {ONNX, ONNX_OF("", "INT64", "[3]", "[2,0,1]"), "[4,2,3,1,5,6]"},
    {ONNX, ONNX_OF("'batch_axis':0,'time_axis':1", "INT64", "[2]", "[0,3]"),
     "[1,2,3,6,5,4]"},
    /* Lengths of every number type, and those that change nothing. */
    {SEQUENCE, SEQUENCE_OF("", "INT8", "[2]", "[3,0]"), "[3,2,1,4,5,6]"},
    {SEQUENCE, SEQUENCE_OF("", "INT16", "[2]", "[3,1]"), "[3,2,1,4,5,6]"},
    {SEQUENCE, SEQUENCE_OF("", "INT32", "[2]", "[3,-0]"), "[3,2,1,4,5,6]"},
    {SEQUENCE, SEQUENCE_OF("", "UINT8", "[2]", "[1,2]"), "[1,2,3,5,4,6]"},
    {SEQUENCE, SEQUENCE_OF("", "UINT16", "[2]", "[1,2]"), "[1,2,3,5,4,6]"},
    {SEQUENCE, SEQUENCE_OF("", "UINT32", "[2]", "[1,2]"), "[1,2,3,5,4,6]"},
    {SEQUENCE, SEQUENCE_OF("", "UINT64", "[2]", "[1,2]"), "[1,2,3,5,4,6]"},
    {SEQUENCE, SEQUENCE_OF("", "FP16", "[2]", "[1,2.0]"), "[1,2,3,5,4,6]"},
    {SEQUENCE, SEQUENCE_OF("", "BF16", "[2]", "[1e0,2]"), "[1,2,3,5,4,6]"},
    {SEQUENCE, SEQUENCE_OF("", "FP32", "[2]", "[1,200e-2]"), "[1,2,3,5,4,6]"},
    {SEQUENCE, SEQUENCE_OF("", "FP64", "[2]", "[-0.0,2]"), "[1,2,3,5,4,6]"},
    {SEQUENCE, SEQUENCE_OF("", "INT64", "[2]", "[0,0]"), "[1,2,3,4,5,6]"},
    {SEQUENCE, SEQUENCE_OF("", "INT64", "[2]", "[1,1]"), "[1,2,3,4,5,6]"},
    {SEQUENCE, SEQUENCE_OF("", "INT64", "[2]", "[3,3]"), "[3,2,1,6,5,4]"},
    /* Sets of axes. */
    {REVERSE, REVERSE_OF("index", "INT64", "[0]", "[]"), "[1,2,3,4,5,6]"},
    {REVERSE, REVERSE_OF("index", "INT8", "[1]", "[-2]"), "[4,5,6,1,2,3]"},
    {REVERSE, REVERSE_OF("index", "UINT8", "[1]", "[1]"), "[3,2,1,6,5,4]"},
    {REVERSE, REVERSE_OF("index", "INT32", "[2]", "[0,0]"), "[4,5,6,1,2,3]"},
    {REVERSE, REVERSE_OF("index", "INT16", "[2]", "[1,-1]"), "[3,2,1,6,5,4]"},
    {REVERSE, REVERSE_OF("index", "UINT32", "[5]", "[0,1,0,1,0]"),
     "[6,5,4,3,2,1]"},
    {REVERSE, REVERSE_OF("mask", "BOOL", "[2]", "[false,false]"),
     "[1,2,3,4,5,6]"},
    {REVERSE, REVERSE_OF("mask", "BOOL", "[2]", "[true,true]"),
     "[6,5,4,3,2,1]"},
    /* A tensor of rank 32. */
    {REVERSE,
     "{'parameters':{'mode':'index'},'inputs':[" INPUT(
         "data", "INT16",
         "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,3]",
         "[7,8,9]") "," INPUT("axis", "INT8", "[2]", "[31,-32]") "]}",
     "[9,8,7]"},
};

LOOP_TEST(rules_accept_allowed_values, COUNT(accepted))
{
    assert_answer_data(ask_json(accepted[_i].model, accepted[_i].json),
                       accepted[_i].data);
}

/* Axes past rank 2, and those that ONNX accepts. */
static const char *const axes[] = {
    "-9223372036854775808",
    "-2147483649",
    "-4294967296",
    "-4294967295",
    "-3",
    "2",
    "3",
    "255",
    "256",
    "2147483648",
    "4294967296",
    "4294967297",
    "9223372036854775807",
};

static void check_axis(int at, const char *model, const char *data,
                       const char *lens, const char *name, const char *limits)
{
    char json[512], is[64];

    snprintf(is, sizeof(is), "%s is %s,", name, axes[at]);
    snprintf(json, sizeof(json),
             "{'parameters':{'%s':%s},'inputs':[{'name':'%s','datatype':"
             "'FP32','shape':[2,2],'data':[1,2,3,4]},{'name':'%s','datatype':"
             "'INT64','shape':[2],'data':[1,2]}]}",
             name, axes[at], data, lens);
    assert_answer_refused(ask_json(model, json), 400, is, limits, NULL);
}

LOOP_TEST(rules_refuse_axes_past_the_rank, COUNT(axes))
{
    check_axis(_i, ONNX, "input", "sequence_lens", "batch_axis", "0 or 1");
    check_axis(_i, ONNX, "input", "sequence_lens", "time_axis", "0 or 1");
    check_axis(_i, GRAIPHIC, "input", "sequence_lens", "batch_axis", "0 or 1");
    check_axis(_i, GRAD, "dY", "sequence_lens", "time_axis", "0 or 1");
    check_axis(_i, SEQUENCE, "data", "seq_lengths", "batch_axis",
               "from -2 to 1 for rank 2");
    check_axis(_i, SEQUENCE, "data", "seq_lengths", "seq_axis",
               "from -2 to 1 for rank 2");
}

LOOP_TEST(rules_refuse_entries_of_axis_past_the_rank, COUNT(axes))
{
    char json[512], is[64];

    snprintf(is, sizeof(is), "axis[1] is %s,", axes[_i]);
    snprintf(json, sizeof(json),
             REVERSE_OF("index", "INT64", "[3]", "[0,%s,99]"), axes[_i]);
    assert_answer_refused(ask_json(REVERSE, json), 400, is,
                          "from -2 to 1 for rank 2", NULL);
}

#define AXIS_7(data)                                                           \
    "{'parameters':{'time_axis':7},'inputs':[" INPUT("input", "INT8", "[2,2]", \
                                                     data) "," LENS "]}"

/* Each has the fault of the row below, too: the first check names it. */
static const struct refusal order[] = {
    {GRAD,
     "{'parameters':{'batch_axis':0,'time_axis':7},'inputs':[" INPUT(
         "dY", "INT8", "[3]", "[1,2,3]") "," INPUT("sequence_lens", "INT32",
                                                   "[1,1]", "[-1]") "]}",
     400, "dY is INT8"},
    {GRAD,
     "{'parameters':{'batch_axis':0,'time_axis':7},'inputs':[" INPUT(
         "dY", "FP32", "[3]", "[1,2,3]") "," INPUT("sequence_lens", "INT32",
                                                   "[1,1]", "[-1]") "]}",
     400, "dY has rank 1"},
    {ONNX, ONNX_OF("'batch_axis':8,'time_axis':7", "INT32", "[1,1]", "[-1]"),
     400, "batch_axis is 8"},
    {ONNX, ONNX_OF("'batch_axis':0,'time_axis':7", "INT32", "[1,1]", "[-1]"),
     400, "time_axis is 7"},
    {ONNX, ONNX_OF("'batch_axis':0,'time_axis':0", "INT32", "[1,1]", "[-1]"),
     400, "are both 0"},
    {ONNX, ONNX_OF("", "INT32", "[1,1]", "[-1]"), 400,
     "sequence_lens is INT32"},
    {ONNX, ONNX_OF("", "INT64", "[1,2]", "[-1,9]"), 400,
     "sequence_lens has rank 2"},
    {ONNX, ONNX_OF("", "INT64", "[1]", "[-1]"), 400,
     "sequence_lens has 1 entries"},
    {ONNX, ONNX_OF("", "INT64", "[3]", "[5,-1,0]"), 400,
     "sequence_lens[0] is 5"},
    {REVERSE, REVERSE_OF("none", "FP32", "[1,1]", "[9]"), 400, "mode must"},
    {REVERSE, REVERSE_OF("mask", "FP32", "[1,1]", "[9]"), 400, "axis is FP32"},
    {REVERSE, REVERSE_OF("index", "INT8", "[1,1]", "[9]"), 400,
     "axis has rank 2"},
    {REVERSE, REVERSE_OF("index", "INT8", "[2]", "[9,-9]"), 400,
     "axis[0] is 9"},
    /* Document before tensors before operator, model before all. */
    {"x", "{'inputs':7", 404, "Request for unknown model: "},
    {ONNX, ONNX_OF("'seq_axis':1,'time_axis':7", "INT32", "[9]", "[1]"), 400,
     "'seq_axis' is unknown"},
    {ONNX, ONNX_OF("'time_axis':7", "INT64", "[9]", "[1]"), 400,
     "'sequence_lens'|9"},
    /* A tensor's fault before the operator's, which is heard when the data is
     * right. */
    {ONNX, DATA_OF("FP32", "[2,3]", "[1,2,3,4]"), 400,
     "data of 'input' has 4 elements|[2, 3] has 6"},
    {ONNX, AXIS_7("[1,2,300,4]"), 400, "data[2] of 'input' is 300"},
    {ONNX, AXIS_7("[1,2,3,4]"), 400, "time_axis is 7"},
};

REFUSES(rules_name_the_first_of_several_faults, order)
