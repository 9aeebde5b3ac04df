/* Tensors that a model does not know. */
#include "tests/api/documents.h"
#include "tests/unit.h"

static const struct refusal names[] = {
    {ONNX, "{'inputs':[]}", 400, "'input' is missing|'sequence_lens'"},
    {ONNX, "{'inputs':[" DATA "]}", 400, "'sequence_lens' is missing"},
    {ONNX, "{'inputs':[" LENS "]}", 400, "'input' is missing"},
    {ONNX, "{'inputs':[" DATA "," DATA "]}", 400,
     "inputs[1] repeats 'input' of inputs[0]"},
    {ONNX, "{'inputs':[" DATA "," LENS "," LENS "]}", 400,
     "inputs[2] repeats 'sequence_lens' of inputs[1]"},
    {ONNX,
     "{'inputs':[" DATA "," INPUT("seq_lens", "INT64", "[2]", "[2,1]") "]}",
     400, "inputs[1] is 'seq_lens'|'input' and 'sequence_lens'"},
    {ONNX,
     "{'inputs':[" DATA "," LENS
     "," INPUT("time_axis", "INT64", "[1]", "[1]") "]}",
     400, "'time_axis' in inputs is not read there|request's parameters"},
    {ONNX, "{'inputs':[" INPUT("", "INT64", "[2]", "[2,1]") "]}", 400,
     "inputs[0] is ''"},
    {ONNX, "{'inputs':[" DATA "," LENS "," LENS "," LENS "]}", 400,
     "inputs[2] repeats 'sequence_lens' of inputs[1]"},
    {ONNX, "{'inputs':[" DATA "," LENS "," LENS "," LENS "," LENS "]}", 400,
     "inputs has 5 entries, but no model takes more than 4"},
    {ONNX,
     DOCUMENT("'outputs':[{'name':'Y'},{'name':'Y'},{'name':'Y'},{'name':'Y'}"
              "],"),
     400, "outputs[1] repeats 'Y'"},
    {ONNX,
     DOCUMENT("'outputs':[{'name':'Y'},{'name':'Y'},{'name':'Y'},{'name':'Y'},"
              "{}],"),
     400, "outputs has 5 entries, but no model takes more than 4"},
    {SEQUENCE, "{" INPUTS "}", 400, "inputs[0] is 'input'|'seq_lengths'"},
    {REVERSE, "{" INPUTS "}", 400, "inputs[0] is 'input'|'axis'"},
    {GRAD, "{" INPUTS "}", 400, "inputs[0] is 'input'|'dY'"},
    {GRAD, "{'inputs':[" LENS "]}", 400, "'dY' is missing|backward_context"},
    {GRAD, "{'inputs':[" INPUT("dY", "FP32", "[2,2]", "[1,2,3,4]") "]}", 400,
     "'sequence_lens' is missing|backward_context"},
    {ONNX, DOCUMENT("'outputs':[{'name':'y'}],"), 400, "outputs[0] is 'y'|'Y'"},
    {ONNX, DOCUMENT("'outputs':[{'name':'Y'},{'name':'Y'}],"), 400,
     "outputs[1] repeats 'Y'"},
    {ONNX, DOCUMENT("'outputs':[{'name':'Y'},{'name':'Z'}],"), 400,
     "outputs[1] is 'Z'|'Y'"},
    {ONNX,
     DOCUMENT("'outputs':[{'name':'Y','parameters':{'classification':3}}],"),
     400, "outputs[0].parameters.classification is unknown|binary_data"},
    {ONNX,
     DOCUMENT("'outputs':[{'name':'Y','parameters':{'binary_dat':true}}],"),
     400, "outputs[0].parameters.binary_dat is unknown|binary_data,"},
    {ONNX,
     DOCUMENT("'outputs':[{'name':'Y','parameters':{'clasification':3}}],"),
     400, "outputs[0].parameters.clasification is unknown"},
    {ONNX, DOCUMENT("'outputs':[{'name':'Y','parameters':{'triton_x':3}}],"),
     400, "outputs[0].parameters.triton_x is unknown"},
    {ONNX,
     "{'inputs':[{'name':'input','datatype':'FP32','shape':[2,2],"
     "'data':[1,2,3,4],'parameters':{'binary_datasize':16}}," LENS "]}",
     400, "inputs[0].parameters.binary_datasize is unknown|binary_data_size"},
    {ONNX,
     "{'inputs':[{'name':'input','datatype':'FP32','shape':[2,2],"
     "'data':[1,2,3,4],'parameters':{'binary-data-size':16}}," LENS "]}",
     400,
     "inputs[0].parameters.binary-data-size is unknown|binary_data_size, "
     "shared_memory_region, shared_memory_offset, shared_memory_byte_size"},
    {ONNX,
     "{'inputs':[{'name':'input','datatype':'FP32','shape':[2,2],"
     "'data':[1,2,3,4],'parameters':{'triton_x':null,'triton_y':0}}," LENS "]}",
     400, "inputs[0].parameters.triton_y is unknown"},
    {ONNX,
     "{'inputs':[{'name':'input','datatype':'FP32','shape':[2,2],"
     "'parameters':{'shared_memory_region':'r','shared_memory_byte_size'"
     ":16}}," LENS "]}",
     501, "'input' is in shared memory|not enabled"},
    {ONNX,
     "{'inputs':[{'name':'input','datatype':'FP32','shape':[2,2],"
     "'parameters':{'shared_memory_region':'r'}}," LENS "]}",
     400, "inputs[0].parameters|without shared_memory_byte_size"},
    {ONNX,
     "{'inputs':[{'name':'input','datatype':'FP32','shape':[2,2],"
     "'parameters':{'shared_memory_region':'r','shared_memory_offset':0}}," LENS
     "]}",
     400, "inputs[0].parameters|without shared_memory_byte_size"},
    {ONNX,
     "{'inputs':[{'name':'input','datatype':'FP32','shape':[2,2],"
     "'parameters':{'shared_memory_offset':4}}," LENS "]}",
     400, "inputs[0].parameters|shared_memory_offset without"},
    {ONNX,
     "{'inputs':[{'name':'input','datatype':'FP32','shape':[2,2],"
     "'parameters':{'shared_memory_region':'','shared_memory_byte_size'"
     ":16}}," LENS "]}",
     400, "inputs[0].parameters.shared_memory_region|name"},
    {ONNX,
     "{'inputs':[{'name':'input','datatype':'FP32','shape':[2,2],"
     "'parameters':{'shared_memory_region':'r','shared_memory_byte_size'"
     ":16,'binary_data_size':16}}," LENS "]}",
     400, "inputs[0]|both parameters.binary_data_size|shared_memory_region"},
    {ONNX,
     DOCUMENT("'outputs':[{'name':'Y','parameters':{'shared_memory_region':"
              "'r','shared_memory_byte_size':16}}],"),
     501, "'Y' is in shared memory|not enabled"},
};

REFUSES(tensors_of_other_names_or_parameters_are_refused, names)

#define LENS_OF(shape, data, parameters)                                       \
    "{'name':'sequence_lens','datatype':'INT64','shape':" shape                \
    ",'data':" data ",'parameters':{" parameters "}}"
#define WITH_LENS(lens) "{'inputs':[" DATA "," lens "]}"

static const char *const taken[] = {
    /* Keys of clients' own. */
    "{'inputs':[{'name':'input','datatype':'FP32','shape':[2,2],'data':"
    "[1,2,3,4],'parameters':{'content_type':'np','headers':{},'binary_data':1,"
    "'classification':3}}," LENS "]}",
    DOCUMENT("'outputs':[{'name':'Y','parameters':{'content_type':'np',"
             "'binary_data_size':3,'x':[1]}}],"),
    /* MLServer's codecs. */
    WITH_LENS(LENS_OF("[2]", "[2,1]", "'content_type':'np'")),
    WITH_LENS(LENS_OF("[2]", "[2,1]", "'content-type':7")),
};

LOOP_TEST(tensors_with_parameters_of_clients_own_are_taken, COUNT(taken))
{
    assert_answer_data(ask_json(ONNX, taken[_i]), RESULT);
}

#define MODEL_LENS(model, datatype, shape, data)                               \
    model,                                                                     \
        "{'inputs':[" INPUT("data", "FP32", "[2,2]", "[1,2,3,4]") "," INPUT(   \
            "seq_lengths", datatype, shape, data) "]}"
#define AXIS(mode, datatype, shape, data)                                      \
    REVERSE, REVERSE_OF(mode, datatype, shape, data)

/* Lengths and axes in a column, from any client. */
static const struct {
    const char *model, *json, *data;
} columns[] = {
    {ONNX, WITH_LENS(LENS_OF("[2,1]", "[2,1]", "")), RESULT},
    {ONNX, WITH_LENS(LENS_OF("[2,1]", "[[2],[1]]", "")), RESULT},
    {ONNX, WITH_LENS(LENS_OF("[2,1]", "[[2],[1]]", "'content_type':'np'")),
     RESULT},
    {ONNX, WITH_LENS(LENS_OF("[2,1]", "[2,1]", "'content_type':'pd'")), RESULT},
    {ONNX, WITH_LENS(LENS_OF("[2,1]", "[2,1]", "'content_type':['np']")),
     RESULT},
    {ONNX,
     "{'inputs':[" INPUT("input", "FP32", "[3,1]",
                         "[1,2,3]") "," LENS_OF("[1,1]", "[[2]]", "") "]}",
     "[2,1,3]"},
    {ONNX,
     "{'inputs':[" INPUT("input", "FP32", "[3,0]",
                         "[]") "," LENS_OF("[0,1]", "[]", "") "]}",
     "[]"},
    {GRAIPHIC, WITH_LENS(LENS_OF("[2,1]", "[2,1]", "")), RESULT},
    {GRAD,
     "{'inputs':[" INPUT("dY", "FP32", "[2,2]", "[1,2,3,4]") "," LENS_OF(
         "[2,1]", "[[2],[1]]", "") "]}",
     RESULT},
    {MODEL_LENS(SEQUENCE, "INT32", "[2,1]", "[2,1]"), "[2,1,3,4]"},
    {MODEL_LENS(SEQUENCE, "FP16", "[2,1]", "[[1],[2]]"), "[1,2,4,3]"},
    {AXIS("index", "INT64", "[2,1]", "[[0],[-1]]"), "[6,5,4,3,2,1]"},
    {AXIS("index", "INT64", "[0,1]", "[]"), "[1,2,3,4,5,6]"},
    {REVERSE,
     "{'parameters':{'mode':'index'},'inputs':[" INPUT(
         "data", "INT16", "[2,3]",
         "[1,2,3,4,5,6]") ","
                          "{'name':'axis','datatype':'UINT8','shape':[1,1],'"
                          "data':[1],"
                          "'parameters':{'content_type':'np'}}]}",
     "[3,2,1,6,5,4]"},
    {AXIS("mask", "BOOL", "[2,1]", "[[false],[true]]"), "[3,2,1,6,5,4]"},
};

LOOP_TEST(lengths_and_axes_in_a_column_are_taken, COUNT(columns))
{
    assert_answer_data(ask_json(columns[_i].model, columns[_i].json),
                       columns[_i].data);
}

UNIT_TEST(lengths_in_a_column_are_taken_as_bytes)
{
    static const int64_t lens[2] = {2, 1};

    assert_answer_data(ask_binary(ONNX,
                                  WITH_LENS(BYTES_INPUT(
                                      "sequence_lens", "INT64", "[2,1]", "16")),
                                  lens, sizeof(lens)),
                       RESULT);
}

static const struct refusal no_columns[] = {
    {ONNX, WITH_LENS(LENS_OF("[1,2]", "[2,1]", "")), 400,
     "sequence_lens has rank 2|must be 1"},
    {ONNX, WITH_LENS(LENS_OF("[1,2]", "[2,1]", "'content_type':'np'")), 400,
     "sequence_lens has rank 2|must be 1"},
    {ONNX, WITH_LENS(LENS_OF("[2,1,1]", "[2,1]", "'content_type':'np'")), 400,
     "sequence_lens has rank 3|must be 1"},
    {ONNX, WITH_LENS(LENS_OF("[2,1,1]", "[2,1]", "")), 400,
     "sequence_lens has rank 3|must be 1"},
    {ONNX, WITH_LENS(LENS_OF("[]", "[2]", "")), 400,
     "sequence_lens has rank 0|must be 1"},
    {ONNX, WITH_LENS(LENS_OF("[3,1]", "[2,1,1]", "")), 400,
     "sequence_lens has 3 entries"},
    {ONNX, WITH_LENS(LENS_OF("[2,1]", "[[2,1]]", "")), 400, "sequence_lens"},
    {AXIS("mask", "BOOL", "[1,2]", "[true,true]"), 400,
     "axis has rank 2|must be 1"},
    {AXIS("mask", "BOOL", "[3,1]", "[true,true,true]"), 400,
     "axis has 3 entries"},
    {AXIS("index", "INT64", "[1,2]", "[0,1]"), 400,
     "axis has rank 2|must be 1"},
    {AXIS("index", "UINT8", "[1,1]", "[1]"), 400, "axis has rank 2|must be 1"},
};

REFUSES(lengths_of_another_shape_are_refused, no_columns)
