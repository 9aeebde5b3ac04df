/* Fields of a document that have another type or value than they must, or stand
 * twice. What each must be is asked in document/test_document.c. */
#include "tests/api/documents.h"
#include "tests/unit.h"

static const char *const ill_typed[][2] = {
    {"{}", "inputs is missing"},
    {"{'inputs':null}", "inputs is missing"},
    {"{'instances':[[1,2],[3,4]]}",
     "inputs is missing: instances is of version 1 of the protocol, but flipd "
     "speaks version 2: POST /v2/models/{model}/infer takes inputs"},
    {"{'inputs':{}}", "inputs is an object|array of objects"},
    {"{'inputs':'x'}", "inputs is a string"},
    {"{'inputs':7}", "inputs is an integer"},
    {"{'inputs':[[]]}", "inputs[0] is an array|an object"},
    {"{'inputs':[" DATA ",null]}", "inputs[1] is null"},
    {"{'inputs':[" DATA ",1.5]}", "inputs[1] is 1.5, but it must be an object"},
    {DOCUMENT("'parameters':[],"), "parameters is an array|an object"},
    {DOCUMENT("'outputs':{},"), "outputs is an object"},
    {DOCUMENT("'outputs':[{'name':1}],"), "outputs[0].name is an integer"},
    {DOCUMENT("'outputs':[{'name':'Y','parameters':[]}],"),
     "outputs[0].parameters is an array|an object"},
    {DATA_OF("FP32", "4", "[1,2,3,4]"), "inputs[0].shape is an integer"},
    {DATA_OF("FP320", "[2]", "[1,2]"),
     "inputs[0].datatype is 'FP320'|BOOL|FP8_E4M3|NF4"},
    {DATA_OF("BYTES\\u0000", "[2]", "[1,2]"), "inputs[0].datatype|NUL"},
    {DATA_OF("01234567890123456789012345678901234567890123456789", "[2]",
             "[1,2]"),
     "inputs[0].datatype|BOOL|NF4"},
};

MODEL_REFUSES(document_with_an_ill_typed_field_is_refused_by_its_name, ONNX,
              ill_typed)

static const char *const duplicates[][2] = {
    {DOCUMENT("'x':1,'x':null,"), "duplicate"},
    {"{" INPUTS "," INPUTS "}", "duplicate|inputs"},
    {"{'inputs':[],'\\u0069nputs':[" DATA "," LENS "]}", "duplicate"},
    {WITH("{'name':'input','datatype':'FP32','shape':[2,2],'data':[1,2,3,4],"
          "'d\\u0061ta':[1,2,3,4]}"),
     "duplicate"},
    {WITH("{'name':'input','datatype':'FP32','shape':[2,2],'data':null,"
          "'data':[1,2,3,4]}"),
     "duplicate"},
};

MODEL_REFUSES(document_with_a_key_twice_is_refused, ONNX, duplicates)

/* Shapes that are none, that claim too much, or that the data does not have. */
static const char *const shapes[][2] = {
    {DATA_OF("FP32", "[2,-1]", "[1,2]"), "inputs[0].shape[1] is -1|0 or more"},
    {DATA_OF("FP32", "[2,2.50]", "[1,2,3,4]"),
     "inputs[0].shape[1] is 2.50, but a dim is an integer"},
    {DATA_OF("FP32", "[1e400,2]", "[1,2,3,4]"),
     "inputs[0].shape[0] is 1e400, but a dim is an integer"},
    {DATA_OF("FP32", "[-2.0,2]", "[1,2,3,4]"),
     "inputs[0].shape[0] is -2.0, but a dim is 0 or more"},
    {DATA_OF("FP32", "['2',2]", "[1,2,3,4]"), "inputs[0].shape[0] is a string"},
    {DATA_OF("FP32", "[2,null]", "[1,2]"), "inputs[0].shape[1] is null"},
    {DATA_OF("FP32", "[16,1152921504606846978]", "[1]"),
     "input has shape [16, 1152921504606846978]|2^63"},
    {DATA_OF("FP32", "[4,1152921504606846978]", "[1]"),
     "'input'|4611686018427387912"},
    {DATA_OF("INT8", "[4294967296,2147483647]", "[1]"),
     "'input'|9223372032559808512"},
    {DATA_OF("INT8", "[9223372036854775808,0]", "[]"),
     "shape[0] is 9223372036854775808|2^63"},
    {DATA_OF("FP32", "[2,2]", "[1,2,3]"), "'input'|3|4"},
};

MODEL_REFUSES(shape_is_refused_with_dim_or_both_counts, ONNX, shapes)
