/* Documents that are refused: the fault and the byte that errors name. */
#include "tests/api/ask.h"
#include "tests/api/documents.h"
#include "tests/unit.h"

static const struct refusal malformed[] = {
    {ONNX, "", 400, "malformed JSON at byte 0|empty"},
    {ONNX, " ", 400, "malformed JSON at byte 1|empty"},
    {ONNX, "[]", 400, "the body is an array|must be an object"},
    {ONNX, "7", 400, "the body is a number|must be an object"},
    {ONNX, "null", 400, "the body is null|must be an object"},
    {ONNX, "'x'", 400, "the body is a string|must be an object"},
    {ONNX, "{", 400, "malformed JSON at byte 1|too early"},
    {ONNX, "}", 400, "malformed JSON at byte 0"},
    {ONNX, "{]", 400, "malformed JSON at byte 1"},
    {ONNX, "{'a", 400, "malformed JSON at byte 1|not closed"},
    {ONNX, "{'a':1,}", 400, "malformed JSON at byte 7"},
    {ONNX, "{,}", 400, "malformed JSON at byte"},
    {ONNX, "{'a' 1}", 400, "malformed JSON at byte"},
    {ONNX, "{'a':}", 400, "malformed JSON at byte 5"},
    {ONNX, "{'a':01}", 400, "malformed JSON at byte"},
    {ONNX, "{'a':1e}", 400, "malformed JSON at byte"},
    {ONNX, "{'a':-}", 400, "malformed JSON at byte"},
    {ONNX, "{'a':+1}", 400, "malformed JSON at byte"},
    {ONNX, "{'a':.5}", 400, "malformed JSON at byte"},
    {ONNX, "{'a':NaN}", 400, "malformed JSON at byte"},
    {ONNX, "{'a':Infinity}", 400, "malformed JSON at byte"},
    {ONNX, "{'a':1e400}", 400, "inputs is missing"},
    {ONNX, "{'a':-1e400,}", 400, "malformed JSON at byte 12"},
    {ONNX, "{'a':1e400.}", 400, "malformed JSON at byte"},
    {ONNX, "{'a':--99999999999999999999}", 400, "malformed JSON at byte"},
    {ONNX, "{'a':099999999999999999999}", 400, "malformed JSON at byte"},
    {ONNX, "{'a':9223372036854775808}", 400, "inputs is missing"},
    {ONNX, "{'a':9223372036854775808,}", 400, "malformed JSON at byte 25"},
    {ONNX, "{'a':trueish}", 400, "malformed JSON at byte"},
    {ONNX, "{'a':'\\x'}", 400, "malformed JSON at byte"},
    {ONNX, "{'a':'\\ud800'}", 400, "malformed JSON at byte"},
    {ONNX, "{'a':'\\udc00\\ud800'}", 400, "malformed JSON at byte"},
    {ONNX, "{'a':'\n'}", 400, "malformed JSON at byte"},
    {ONNX, "{'a':'\xFF'}", 400, "malformed JSON at byte"},
    {ONNX, "{'a':'\xC0\x80'}", 400, "malformed JSON at byte"},
    {ONNX, "{'a':'\xED\xA0\x80'}", 400, "malformed JSON at byte"},
    {ONNX, "\xEF\xBB\xBF{}", 400, "inputs is missing"},
    {ONNX, "{'a\\u0000':1}", 400, "malformed JSON at byte"},
    {ONNX, "{'a':1}/* c */", 400, "7 bytes follow|byte 7"},
    /* The offset is the document's, also after a data array. */
    {ONNX, "{'inputs':[{'data':[1,2,3,4,5,6,7,8,9],!}]}", 400,
     "malformed JSON at byte 39"},
};

REFUSES(document_that_is_no_json_is_refused_with_the_byte, malformed)

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
