/* Tensors that a model does not know. */
#include "tests/api/documents.h"
#include "tests/unit.h"

static const struct refusal names[] = {
    {ONNX, "{'inputs':[]}", "'input' is missing|'sequence_lens'"},
    {ONNX, "{'inputs':[" LENS "]}", "'input' is missing"},
    {ONNX, ASK(DATA, DATA), "inputs[1] repeats 'input' of inputs[0]"},
    {ONNX, "{'inputs':[" DATA "," LENS "," LENS "," LENS "]}",
     "inputs[2] repeats 'sequence_lens' of inputs[1]"},
    {ONNX, "{'inputs':[" DATA "," LENS "," LENS "," LENS "," LENS "]}",
     "inputs has 5 entries, but no model takes more than 4"},
    {ONNX,
     "{'inputs':[" DATA "," LENS
     "," INPUT("time_axis", "INT64", "[1]", "[1]") "]}",
     "'time_axis' in inputs is not read there|request's parameters"},
    {ONNX, "{'inputs':[" INPUT("", "INT64", "[2]", "[2,1]") "]}",
     "inputs[0] is ''"},
    {ONNX,
     DOCUMENT("'outputs':[{'name':'Y'},{'name':'Y'},{'name':'Y'},{'name':'Y'}"
              "],"),
     "outputs[1] repeats 'Y'"},
    {SEQUENCE, "{" INPUTS "}", "inputs[0] is 'input'|'seq_lengths'"},
    {REVERSE, "{" INPUTS "}", "inputs[0] is 'input'|'axis'"},
    {GRAD, "{" INPUTS "}", "inputs[0] is 'input'|'dY'"},
    {GRAD, "{'inputs':[" INPUT("dY", "FP32", "[2,2]", "[1,2,3,4]") "]}",
     "'sequence_lens' is missing|backward_context"},
    {ONNX, DOCUMENT("'outputs':[{'name':'Y'},{'name':'Z'}],"),
     "outputs[1] is 'Z'|'Y'"},
};

REFUSES(tensors_of_other_names_are_refused, names)

#define LENS_OF(shape, data, parameters)                                       \
    "{'name':'sequence_lens','datatype':'INT64','shape':" shape                \
    ",'data':" data ",'parameters':{" parameters "}}"
#define WITH_LENS(lens) ASK(DATA, lens)

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

#define SEQUENCES(datatype, data)                                              \
    SEQUENCE, ASK(INPUT("data", "FP32", "[2,2]", "[1,2,3,4]"),                 \
                  INPUT("seq_lengths", datatype, "[2,1]", data))
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
     ASK(INPUT("input", "FP32", "[3,1]", "[1,2,3]"),
         LENS_OF("[1,1]", "[[2]]", "")),
     "[2,1,3]"},
    {ONNX,
     ASK(INPUT("input", "FP32", "[3,0]", "[]"), LENS_OF("[0,1]", "[]", "")),
     "[]"},
    {GRAIPHIC, WITH_LENS(LENS_OF("[2,1]", "[2,1]", "")), RESULT},
    {GRAD,
     ASK(INPUT("dY", "FP32", "[2,2]", "[1,2,3,4]"),
         LENS_OF("[2,1]", "[[2],[1]]", "")),
     RESULT},
    {SEQUENCES("INT32", "[2,1]"), "[2,1,3,4]"},
    {SEQUENCES("FP16", "[[1],[2]]"), "[1,2,4,3]"},
    {AXIS("index", "INT64", "[2,1]", "[[0],[-1]]"), "[6,5,4,3,2,1]"},
    {AXIS("index", "INT64", "[0,1]", "[]"), "[1,2,3,4,5,6]"},
    {REVERSE,
     "{'parameters':{'mode':'index'},'inputs':[{'name':'axis','datatype':"
     "'UINT8','shape':[1,1],'data':[1],'parameters':{'content_type':'np'}}"
     "," INPUT("data", "INT16", "[2,3]", "[1,2,3,4,5,6]") "]}",
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
    static const char json[] =
        WITH_LENS(BYTES_INPUT("sequence_lens", "INT64", "[2,1]", "16"));

    assert_answer_data(ask_binary(ONNX, json, lens, sizeof(lens)), RESULT);
}

static const struct refusal no_columns[] = {
    {ONNX, WITH_LENS(LENS_OF("[1,2]", "[2,1]", "'content_type':'np'")),
     "sequence_lens has rank 2|must be 1"},
    {ONNX, WITH_LENS(LENS_OF("[2,1,1]", "[2,1]", "")),
     "sequence_lens has rank 3|must be 1"},
    {ONNX, WITH_LENS(LENS_OF("[2,1,1]", "[2,1]", "'content_type':'np'")),
     "sequence_lens has rank 3|must be 1"},
    {ONNX, WITH_LENS(LENS_OF("[3,1]", "[2,1,1]", "")),
     "sequence_lens has 3 entries"},
    {ONNX, WITH_LENS(LENS_OF("[2,1]", "[[2,1]]", "")), "sequence_lens"},
    {AXIS("mask", "BOOL", "[3,1]", "[true,true,true]"), "axis has 3 entries"},
    {AXIS("index", "INT64", "[1,2]", "[0,1]"), "axis has rank 2|must be 1"},
    {AXIS("index", "UINT8", "[1,1]", "[1]"), "axis has rank 2|must be 1"},
};

REFUSES(lengths_of_another_shape_are_refused, no_columns)
