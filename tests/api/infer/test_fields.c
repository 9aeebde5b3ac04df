/* Fields of a document that have another type than they must. */
#include <stdio.h>
#include <string.h>

#include "tests/api/ask.h"
#include "tests/api/documents.h"
#include "tests/unit.h"

static const struct refusal ill_typed[] = {
    {ONNX, "{}", 400, "inputs is missing"},
    {ONNX, "{'inputs':null}", 400, "inputs is missing"},
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
