/* The bytes of tensors behind the document, and their number. */
#include "tests/api/documents.h"
#include "tests/unit.h"

#define DATA_BYTES(size) BYTES_INPUT("input", "FP32", "[2,2]", size)
#define ONES INPUT("sequence_lens", "INT64", "[2]", "[1,1]")
#define LENS_BYTES(size) BYTES_INPUT("sequence_lens", "INT64", "[2]", size)
/* An input that says nothing about its data. */
#define BARE(name, datatype, shape)                                            \
    "{'name':'" name "','datatype':'" datatype "','shape':" shape "}"
#define BARE_DATA BARE("input", "FP32", "[2,2]")
#define BARE_LENS BARE("sequence_lens", "INT64", "[2]")

static const struct {
    float data[4];
    int64_t lens[2];
} data_first = {{1, 2, 3, 4}, {2, 1}};
static const struct {
    int64_t lens[2];
    float data[4];
} lens_first = {{2, 1}, {1, 2, 3, 4}};

UNIT_TEST(bytes_are_taken_in_the_order_of_the_inputs)
{
    assert_answer_data(
        ask_binary(ONNX,
                   "{'inputs':[" DATA_BYTES("16") "," LENS_BYTES("16") "]}",
                   &data_first, 32),
        RESULT);
    assert_answer_data(
        ask_binary(ONNX,
                   "{'inputs':[" LENS_BYTES("16") "," DATA_BYTES("16") "]}",
                   &lens_first, 32),
        RESULT);
}

UNIT_TEST(bytes_and_json_may_be_mixed)
{
    assert_answer_data(ask_binary(ONNX,
                                  "{'inputs':[" DATA_BYTES("16") "," LENS "]}",
                                  data_first.data, 16),
                       RESULT);
    assert_answer_data(ask_binary(ONNX,
                                  "{'inputs':[" DATA "," LENS_BYTES("16") "]}",
                                  lens_first.lens, 16),
                       RESULT);
}

/* The data and the lengths behind the document, in that order. */
static const char *const derived[] = {
    "{'inputs':[" BARE_DATA "," BARE_LENS "]}",
    "{'inputs':[" BARE_DATA "," LENS_BYTES("16") "]}",
    "{'inputs':[" DATA_BYTES("16") "," BARE_LENS "]}",
    "{'inputs':[{'name':'input','datatype':'FP32','shape':[2,2],'data':null,"
    "'parameters':{}}," BARE_LENS "]}",
    "{'inputs':[{'name':'input','datatype':'FP32','shape':[2,2],'parameters':{"
    "'binary_data_size':null,'x':1}},{'name':'sequence_lens','datatype':"
    "'INT64','shape':[2,1],'parameters':null}]}",
};

LOOP_TEST(size_that_is_not_declared_follows_from_datatype_and_shape,
          COUNT(derived))
{
    assert_answer_data(ask_binary(ONNX, derived[_i], &data_first, 32), RESULT);
}

UNIT_TEST(size_that_is_not_declared_may_be_that_of_one_input)
{
    assert_answer_data(ask_binary(ONNX, "{'inputs':[" BARE_DATA "," LENS "]}",
                                  data_first.data, 16),
                       RESULT);
    assert_answer_data(ask_binary(ONNX, "{'inputs':[" DATA "," BARE_LENS "]}",
                                  data_first.lens, 16),
                       RESULT);
}

#define FLIP(datatype, shape)                                                  \
    "{'parameters':{'mode':'index','binary_data_output':true},'inputs':"       \
    "[" BARE("data", datatype, shape) "," INPUT("axis", "INT8", "[1]",         \
                                                "[0]") "]}"

/* Sizes of packed types round up to whole bytes. */
static const struct {
    const char *json;
    size_t len;
    const char *bytes, *moved;
} packed[] = {
    {FLIP("INT4", "[3]"), 2, "\x21\x03", "\x23\x01"},
    {FLIP("FP4_E2M1", "[3]"), 2, "\x21\x03", "\x23\x01"},
    {FLIP("UINT2", "[5]"), 2, "\x1B\x40", "\x79\0"},
    {FLIP("UINT1", "[9]"), 2, "\x80\x80", "\x80\x80"},
    {FLIP("BOOL", "[3]"), 3, "\1\0\0", "\0\0\1"},
    {FLIP("FP8_E4M3", "[2]"), 2, "\1\2", "\2\1"},
    {FLIP("COMPLEX64", "[2]"), 16, "aaaaaaaabbbbbbbb", "bbbbbbbbaaaaaaaa"},
};

LOOP_TEST(size_of_every_fixed_datatype_is_derived, COUNT(packed))
{
    assert_answer_bytes(
        ask_binary(REVERSE, packed[_i].json, packed[_i].bytes, packed[_i].len),
        packed[_i].moved, packed[_i].len);
}

UNIT_TEST(bytes_may_start_at_any_alignment)
{
    char json[256];

    for (int i = 0; i < 16; i++) {
        snprintf(json, sizeof(json), "{%*s'inputs':[%s,%s]}", i, "",
                 LENS_BYTES("16"), DATA_BYTES("16"));
        assert_answer_data(ask_binary(ONNX, json, &lens_first, 32), RESULT);
    }
}

/* Documents with `len` zero bytes behind them. */
static const struct {
    const char *json;
    size_t len;
    const char *parts;
} sizes[] = {
    {"{'inputs':[" DATA_BYTES("16") "," LENS "]}", 15,
     "inputs[0] ('input')|16 bytes|15 are left|15 behind"},
    {"{'inputs':[" DATA_BYTES("16") "," LENS "]}", 17,
     "17 bytes follow|take 16"},
    {"{'inputs':[" DATA_BYTES("16") "," LENS "]}", 0,
     "inputs[0] ('input')|16 bytes|0 are left"},
    {"{'inputs':[" LENS "," DATA_BYTES("16") "]}", 15,
     "inputs[1] ('input')|16 bytes|15 are left"},
    {"{'inputs':[" DATA_BYTES("16") "," LENS_BYTES("16") "]}", 31,
     "inputs[1] ('sequence_lens')|16 bytes|15 are left|31 behind"},
    {"{'inputs':[" DATA_BYTES("16") "," LENS_BYTES("16") "]}", 33,
     "33 bytes follow|take 32"},
    {"{'inputs':[" DATA_BYTES("8") "," LENS "]}", 8,
     "'input' declares 8 bytes|FP32|[2, 2]|takes 16"},
    {"{'inputs':[" DATA_BYTES("20") "," LENS "]}", 20,
     "'input' declares 20 bytes|FP32|[2, 2]|takes 16"},
    {"{'inputs':[" DATA_BYTES("0") "," LENS "]}", 0,
     "'input' declares 0 bytes|takes 16"},
    {"{'inputs':[" DATA "," LENS_BYTES("8") "]}", 8,
     "'sequence_lens' declares 8 bytes|INT64|[2]|takes 16"},
    {"{'inputs':[" DATA "," LENS "]}", 1, "1 bytes follow|take 0"},
    {"{'inputs':[" DATA_BYTES("9223372036854775807") "," LENS "]}", 16,
     "9223372036854775807 bytes|FP32|[2, 2]|takes 16"},
    {"{'inputs':[" DATA_BYTES("9223372036854775807") "," LENS_BYTES(
         "9223372036854775807") "]}",
     16, "9223372036854775807 bytes|FP32|[2, 2]|takes 16"},
    {"{'inputs':[" DATA_BYTES("18446744073709551616") "," LENS "]}", 16,
     "inputs[0].parameters.binary_data_size is 18446744073709551616|2^63 - 1"},
    {"{'inputs':[" DATA_BYTES("17") "," LENS_BYTES("16") "]}", 32,
     "'input' declares 17 bytes|FP32|[2, 2]|takes 16"},
    {"{'inputs':[" DATA_BYTES("15") "," LENS_BYTES("16") "]}", 32,
     "'input' declares 15 bytes|FP32|[2, 2]|takes 16"},
    {"{'inputs':[" DATA_BYTES("-1") "," LENS "]}", 16,
     "inputs[0].parameters.binary_data_size is -1|0 or more"},
    {"{'inputs':[" DATA_BYTES("-1.0") "," LENS "]}", 16,
     "inputs[0].parameters.binary_data_size is -1.0|0 or more"},
    {"{'inputs':[" DATA_BYTES("'16'") "," LENS "]}", 16,
     "inputs[0].parameters.binary_data_size is a string|an integer"},
    {"{'inputs':[" DATA_BYTES("[16]") "," LENS "]}", 16,
     "inputs[0].parameters.binary_data_size is an array|an integer"},
    {"{'inputs':[" DATA_BYTES("16.5") "," LENS "]}", 16,
     "inputs[0].parameters.binary_data_size is 16.5|an integer"},
    {"{'inputs':[" DATA_BYTES("true") "," LENS "]}", 16,
     "inputs[0].parameters.binary_data_size is a boolean|an integer"},
    {"{'inputs':[{'name':'input','datatype':'FP32','shape':[2,2],'data':"
     "[1,2,3,4],'parameters':{'binary_data_size':16}}," LENS "]}",
     16, "inputs[0] ('input') has both data and"},
    {"{'inputs':[" BARE_DATA "," LENS "]}", 0,
     "inputs[0] ('input') has neither data nor|binary_data_size|and no bytes"},
    {"{'inputs':[" DATA "," BARE_LENS "]}", 0,
     "inputs[1] ('sequence_lens') has neither data nor"},
    {"{'inputs':[" BARE_DATA "," BARE_LENS "]}", 31,
     "inputs[1] ('sequence_lens') takes 16 bytes|15 are left|31 behind"},
    {"{'inputs':[" BARE_DATA "," BARE_LENS "]}", 33, "33 bytes follow|take 32"},
    {"{'inputs':[" BARE_DATA "," LENS_BYTES("15") "]}", 31,
     "'sequence_lens' declares 15 bytes|INT64|takes 16"},
    {"{'inputs':[" BARE("input", "BYTES", "[2,2]") "," LENS "]}", 16,
     "inputs[0] ('input') is BYTES|does not follow|binary_data_size"},
    {"{'inputs':[" BARE("input", "BYTES", "[2,2]") "," LENS "]}", 0,
     "inputs[0] ('input') has neither data nor"},
    {"{'inputs':[" BARE("input", "FP64", "[4611686018427387904,2]") "," LENS
                                                                    "]}",
     16, "input"},
    {"{'inputs':[" BYTES_INPUT("input", "UINT1", "[3,3]", "1") "," LENS "]}", 1,
     "'input' declares 1 bytes|UINT1|[3, 3]|takes 2"},
    {"{'inputs':[" BYTES_INPUT("input", "COMPLEX128", "[1,1]", "8") "," LENS
                                                                    "]}",
     8, "declares 8 bytes|COMPLEX128|takes 16"},
    {"{'inputs':[" BYTES_INPUT("input", "BYTES", "[1,2]", "7") "," ONES "]}", 7,
     "data[1] of 'input'|4 bytes|3 are left"},
    {"{'inputs':[" BYTES_INPUT("input", "BYTES", "[1,2]", "9") "," ONES "]}", 9,
     "'input'"},
};

LOOP_TEST(bytes_of_a_wrong_number_are_refused_with_both_numbers, COUNT(sizes))
{
    unsigned char zeros[64] = {0};

    assert_answer_refused(
        ask_binary(ONNX, sizes[_i].json, zeros, sizes[_i].len), 400,
        sizes[_i].parts, NULL);
}

UNIT_TEST(bytes_element_longer_than_the_body_is_refused)
{
    static const char tail[] = "\xFF\xFF\xFF\xFF"
                               "abcd\0\0\0\0";

    assert_answer_refused(
        ask_binary(ONNX,
                   "{'inputs':[" BYTES_INPUT("input", "BYTES", "[1,2]",
                                             "12") "," INPUT("sequence_lens",
                                                             "INT64", "[2]",
                                                             "[1,1]") "]}",
                   tail, 12),
        400, "data[0] of 'input'", "4294967295", "8", NULL);
}

/* What is wrong with inputs and outputs, with bytes behind the document. */
static const struct {
    const char *model, *json, *tail;
    size_t len;
    const char *error;
} texts[] = {
    {ONNX,
     "{'inputs':[" DATA "," INPUT("seq_lens", "INT64", "[2]", "[2,1]") "]}", "",
     0,
     "inputs[1] is 'seq_lens', but onnx.ReverseSequence takes 'input' and "
     "'sequence_lens'"},
    {ONNX, "{'inputs':[" LENS "," DATA "," LENS "]}", "", 0,
     "inputs[2] repeats 'sequence_lens' of inputs[0]"},
    {ONNX, "{'inputs':[" DATA "]}", "", 0,
     "input 'sequence_lens' is missing: onnx.ReverseSequence takes 'input' and "
     "'sequence_lens'"},
    {GRAD, "{'inputs':[" LENS "]}", "", 0,
     "input 'dY' is missing: graiphic.ReverseSequenceGrad takes 'dY' and "
     "'sequence_lens' (or the parameter backward_context)"},
    {ONNX, DOCUMENT("'outputs':[{'name':'y'}],"), "", 0,
     "outputs[0] is 'y', but the output is 'Y'"},
    {ONNX, DOCUMENT("'outputs':[{'name':'Y'},{'name':'Y'}],"), "", 0,
     "outputs[1] repeats 'Y'"},
    {ONNX, "{'inputs':[" DATA "," BARE_LENS "]}", "", 0,
     "inputs[1] ('sequence_lens') has neither data nor "
     "parameters.binary_data_size nor parameters.shared_memory_region, and no "
     "bytes follow the document"},
    {ONNX, "{'inputs':[" LENS "," BARE("input", "BYTES", "[2,2]") "]}", "0123",
     4,
     "inputs[1] ('input') is BYTES, whose size does not follow from its shape: "
     "it needs parameters.binary_data_size"},
    {ONNX, "{'inputs':[" DATA_BYTES("8") "," LENS "]}", "01234567", 8,
     "'input' declares 8 bytes, but FP32 of shape [2, 2] takes 16"},
    {ONNX, "{'inputs':[" LENS_BYTES("16") "," DATA_BYTES("16") "]}",
     "0123456789abcdef0123456789", 26,
     "inputs[1] ('input') declares 16 bytes, but 10 are left of the 26 behind "
     "the document"},
    {ONNX, "{'inputs':[" BARE_LENS "," BARE_DATA "]}",
     "0123456789abcdef0123456789", 26,
     "inputs[1] ('input') takes 16 bytes, but 10 are left of the 26 behind the "
     "document"},
    {ONNX, "{'inputs':[" DATA_BYTES("16") "," LENS "]}", "0123456789abcdef012",
     19, "19 bytes follow the document, but the inputs take 16"},
    {ONNX,
     "{'inputs':[" BYTES_INPUT("input", "BOOL", "[3,1]", "3") "," INPUT(
         "sequence_lens", "INT64", "[1]", "[3]") "]}",
     "\0\1\2", 3, "data[2] of 'input' is 2, but a BOOL is 0 or 1"},
    {ONNX,
     "{'parameters':{'binary_data_output':true},'inputs':[" INPUT(
         "input", "FP8_E4M3", "[2,2]", "[1,2,3,4]") "," LENS "]}",
     "", 0,
     "'input' is FP8_E4M3, which has no JSON form: send and ask for it in "
     "binary "
     "(binary_data_size, binary_data)"},
    {GRAD, GRAD_PARAMETERS("'backward_context':'AQEAAgICARyZ5gjOGx7g'"), "", 0,
     "backward_context and 'sequence_lens' are both given: the context holds "
     "the lengths"},
    {GRAD,
     "{'parameters':{'time_axis':0,'backward_context':'AQEAAgICARyZ5gjOGx7g'},"
     "'inputs':[" INPUT("dY", "FP32", "[2,2]", "[1,2,3,4]") "]}",
     "", 0,
     "backward_context and time_axis are both given: the context holds the "
     "axes"},
    {GRAD,
     "{'parameters':{'backward_context':'AQEAAgICARyZ5gjOGx7A'},'inputs':"
     "[" INPUT("dY", "FP32", "[2,2]", "[1,2,3,4]") "]}",
     "", 0,
     "backward_context is damaged: give back the string that the forward pass "
     "answered"},
    {GRAD,
     "{'parameters':{'backward_context':'AQEAAgICARyZ5gjOGx7g'},'inputs':"
     "[" INPUT("dY", "FP32", "[3,2]", "[1,2,3,4,5,6]") "]}",
     "", 0, "backward_context is for 2 entries on axis 0, but 'dY' has 3"},
    {GRAD,
     "{'parameters':{'backward_context':'AQEAAgICARyZ5gjOGx7g'},'inputs':"
     "[" INPUT("dY", "FP32", "[2]", "[1,2]") "]}",
     "", 0, "backward_context is for axis 1, but 'dY' has rank 1"},
};

LOOP_TEST(refusal_says_what_is_wrong_and_where, COUNT(texts))
{
    char error[300];

    snprintf(error, sizeof(error), "{\"error\":\"%s\"}", texts[_i].error);
    assert_answer_body(ask_binary(texts[_i].model, texts[_i].json,
                                  texts[_i].tail, texts[_i].len),
                       400, error);
}
