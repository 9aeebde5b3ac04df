/* Fields of a document that have another type or value than they must, or stand
 * twice. */
#include "tests/api/documents.h"
#include "tests/unit.h"

static const struct refusal ill_typed[] = {
    {ONNX, "{}", 400, "inputs is missing"},
    {ONNX, "{'inputs':null}", 400, "inputs is missing"},
    {ONNX, "{'a':1e400}", 400, "inputs is missing"},
    {ONNX, "{'a':9223372036854775808}", 400, "inputs is missing"},
    {ONNX, "\xEF\xBB\xBF{}", 400, "inputs is missing"},
    {ONNX, "{'a':1}/* c */", 400, "7 bytes follow|byte 7"},
    {ONNX, "{'instances':[[1,2],[3,4]]}", 400,
     "inputs is missing: instances is of version 1 of the protocol, but flipd "
     "speaks version 2: POST /v2/models/{model}/infer takes inputs"},
    {ONNX, "{'inputs':{}}", 400, "inputs is an object|array of objects"},
    {ONNX, "{'inputs':'x'}", 400, "inputs is a string"},
    {ONNX, "{'inputs':7}", 400, "inputs is an integer"},
    {ONNX, "{'inputs':[[]]}", 400, "inputs[0] is an array|an object"},
    {ONNX, "{'inputs':[" DATA ",null]}", 400, "inputs[1] is null"},
    {ONNX, "{'inputs':[" DATA ",1.5]}", 400,
     "inputs[1] is 1.5, but it must be an object"},
    {ONNX, "{'inputs':[{},{},{},{},{}]}", 400, "5 entries|more than 4"},
    {ONNX, DOCUMENT("'id':7,"), 400, "id is an integer|a string"},
    {ONNX, DOCUMENT("'id':['7'],"), 400, "id is an array|a string"},
    {ONNX, DOCUMENT("'parameters':[],"), 400,
     "parameters is an array|an object"},
    {ONNX, DOCUMENT("'parameters':'x',"), 400, "parameters is a string"},
    {ONNX, DOCUMENT("'outputs':{},"), 400, "outputs is an object"},
    {ONNX, DOCUMENT("'outputs':['Y'],"), 400, "outputs[0] is a string"},
    {ONNX, DOCUMENT("'outputs':[{}],"), 400,
     "outputs[0].name is missing|a string"},
    {ONNX, DOCUMENT("'outputs':[{'name':null}],"), 400,
     "outputs[0].name is missing"},
    {ONNX, DOCUMENT("'outputs':[{'name':1}],"), 400,
     "outputs[0].name is an integer"},
    {ONNX, DOCUMENT("'outputs':[{'name':'Y\\u0000'}],"), 400,
     "outputs[0].name|NUL"},
    {ONNX, DOCUMENT("'outputs':[{'name':'Y','parameters':[]}],"), 400,
     "outputs[0].parameters is an array|an object"},
    {ONNX, DOCUMENT("'outputs':[{'name':'Y','parameters':{'binary_data':1}}],"),
     400, "outputs[0].parameters.binary_data is an integer|a boolean"},
    {ONNX,
     DOCUMENT("'outputs':[{'name':'Y','parameters':{'binary_data':'true'}}],"),
     400, "outputs[0].parameters.binary_data is a string|a boolean"},
    {ONNX, WITH("{'datatype':'FP32','shape':[2,2],'data':[1,2,3,4]}"), 400,
     "inputs[0].name is missing"},
    {ONNX, WITH("{'name':['input'],'datatype':'FP32','shape':[2,2],'data':[]}"),
     400, "inputs[0].name is an array"},
    {ONNX, WITH(INPUT("input\\u0000", "FP32", "[2,2]", "[1,2,3,4]")), 400,
     "inputs[0].name|NUL"},
    {ONNX, WITH("{'name':'input','shape':[2,2],'data':[1,2,3,4]}"), 400,
     "inputs[0].datatype is missing"},
    {ONNX, WITH("{'name':'input','datatype':{},'shape':[2,2],'data':[1]}"), 400,
     "inputs[0].datatype is an object"},
    {ONNX, WITH("{'name':'input','datatype':'FP32','data':[1,2,3,4]}"), 400,
     "inputs[0].shape is missing|an array"},
    {ONNX, WITH(INPUT("input", "FP32", "4", "[1,2,3,4]")), 400,
     "inputs[0].shape is an integer"},
    {ONNX, WITH(INPUT("input", "FP32", "null", "[1,2,3,4]")), 400,
     "inputs[0].shape is missing"},
    {ONNX, WITH(INPUT("input", "FP32", "[2,2]", "null")), 400,
     "inputs[0] ('input') has neither data nor"},
    {ONNX, WITH(INPUT("input", "FP32", "[2,2]", "7")), 400,
     "inputs[0].data|a number|an array"},
    {ONNX, WITH(INPUT("input", "FP32", "[2,2]", "'AAAA'")), 400,
     "inputs[0].data|a string|an array"},
    {ONNX, WITH(INPUT("input", "FP32", "[2,2]", "{}")), 400,
     "inputs[0].data|an object|an array"},
    {ONNX,
     WITH("{'name':'input','datatype':'FP32','shape':[2,2],"
          "'d\\u0061ta':1000000}"),
     400, "inputs[0].data|a number|an array"},
    {ONNX,
     WITH("{'name':'input','datatype':'FP32','shape':[2,2],'data':"
          "[1,2,3,4],'parameters':[]}"),
     400, "inputs[0].parameters is an array|an object"},
};

REFUSES(document_with_an_ill_typed_field_is_refused_by_its_name, ill_typed)

static const struct refusal duplicates[] = {
    {ONNX, DOCUMENT("'id':'1','id':'1',"), 400, "duplicate"},
    {ONNX, DOCUMENT("'id':'1','\\u0069d':'1',"), 400, "duplicate"},
    {ONNX, DOCUMENT("'x':{'y':[{'a':1,'a':1}]},"), 400, "duplicate"},
    {ONNX, DOCUMENT("'x':1,'x':null,"), 400, "duplicate"},
    {ONNX, "{" INPUTS "," INPUTS "}", 400, "duplicate|inputs"},
    {ONNX, "{'inputs':[],'\\u0069nputs':[" DATA "," LENS "]}", 400,
     "duplicate"},
    {ONNX, DOCUMENT("'outputs':[],'outputs':[],"), 400, "duplicate"},
    {ONNX, DOCUMENT("'parameters':{'timeout':0,'timeout':0},"), 400,
     "duplicate|timeout"},
    {ONNX, DOCUMENT("'parameters':{},'parameters':{},"), 400, "duplicate"},
    {ONNX,
     WITH("{'name':'input','name':'input','datatype':'FP32','shape':"
          "[2,2],'data':[1,2,3,4]}"),
     400, "duplicate"},
    {ONNX,
     WITH("{'name':'input','datatype':'FP32','shape':[2,2],'data':"
          "[1,2,3,4],'data':[1,2,3,4]}"),
     400, "duplicate|data"},
    {ONNX,
     WITH("{'name':'input','datatype':'FP32','shape':[2,2],'data':"
          "[1,2,3,4],'d\\u0061ta':[1,2,3,4]}"),
     400, "duplicate"},
    {ONNX,
     WITH("{'name':'input','datatype':'FP32','shape':[2,2],'data':null,"
          "'data':[1,2,3,4]}"),
     400, "duplicate"},
    {ONNX, DOCUMENT("'outputs':[{'name':'Y','name':'Y'}],"), 400, "duplicate"},
};

REFUSES(document_with_a_key_twice_is_refused, duplicates)

/* Shapes that are none, that claim too much, or that the data does not have. */
static const struct refusal shapes[] = {
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

REFUSES(shape_is_refused_with_dim_or_both_counts, shapes)

static const char *const datatypes[] = {
    "",        "fp32",   "FP32 ",  " FP32", "FP",           "FP320",
    "float32", "STRING", "INT128", "FP8",   "BYTES\\u0000", "TYPE_FP32",
};

LOOP_TEST(document_with_an_unknown_datatype_gets_the_list, COUNT(datatypes))
{
    char json[512];

    snprintf(json, sizeof(json),
             "{'inputs':[{'name':'input','datatype':'%s','shape':[2,2],"
             "'data':[1,2,3,4]}," LENS "]}",
             datatypes[_i]);
    if (strstr(datatypes[_i], "u0000"))
        assert_answer_refused(ask_json(ONNX, json), 400, "inputs[0].datatype",
                              "NUL", NULL);
    else
        assert_answer_refused(ask_json(ONNX, json), 400, "inputs[0].datatype",
                              datatypes[_i], "BOOL", "FP8_E4M3", "NF4", NULL);
}

UNIT_TEST(document_with_a_long_datatype_still_gets_the_whole_list)
{
    assert_answer_refused(
        ask_json(ONNX, WITH(INPUT("input",
                                  "0123456789012345678901234567890123456789"
                                  "0123456789",
                                  "[2]", "[1,2]"))),
        400, "inputs[0].datatype", "BOOL", "NF4", NULL);
}
