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

/* Documents of the example, and the bytes behind them. */
static const struct {
    const char *json;
    const void *tail;
    size_t len;
} whole[] = {
    /* in the order of the inputs, or mixed with JSON */
    {ASK(DATA_BYTES("16"), LENS_BYTES("16")), &data_first, 32},
    {ASK(LENS_BYTES("16"), DATA_BYTES("16")), &lens_first, 32},
    {ASK(DATA_BYTES("16"), LENS), data_first.data, 16},
    {ASK(DATA, LENS_BYTES("16")), lens_first.lens, 16},
    /* a size that is not declared follows from datatype and shape */
    {ASK(BARE_DATA, BARE_LENS), &data_first, 32},
    {ASK(BARE_DATA, LENS_BYTES("16")), &data_first, 32},
    {ASK(DATA_BYTES("16"), BARE_LENS), &data_first, 32},
    {"{'inputs':[{'name':'input','datatype':'FP32','shape':[2,2],'data':null,"
     "'parameters':{}}," BARE_LENS "]}",
     &data_first, 32},
    {"{'inputs':[{'name':'input','datatype':'FP32','shape':[2,2],'parameters':{"
     "'binary_data_size':null,'x':1}},{'name':'sequence_lens','datatype':"
     "'INT64','shape':[2,1],'parameters':null}]}",
     &data_first, 32},
    {ASK(BARE_DATA, LENS), data_first.data, 16},
    {ASK(DATA, BARE_LENS), data_first.lens, 16},
};

LOOP_TEST(bytes_behind_the_document_are_those_of_the_inputs, COUNT(whole))
{
    assert_answer_data(
        ask_binary(ONNX, whole[_i].json, whole[_i].tail, whole[_i].len),
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
    {ASK(DATA_BYTES("16"), LENS), 0, "inputs[0] ('input')|16 bytes|0 are left"},
    {ASK(DATA_BYTES("0"), LENS), 0, "'input' declares 0 bytes|takes 16"},
    {ASK(DATA, LENS_BYTES("8")), 8,
     "'sequence_lens' declares 8 bytes|INT64|[2]|takes 16"},
    {ASK(DATA, LENS), 1, "1 bytes follow|take 0"},
    {ASK(DATA_BYTES("9223372036854775807"), LENS), 16,
     "9223372036854775807 bytes|FP32|[2, 2]|takes 16"},
    {ASK(DATA_BYTES("9223372036854775807"), LENS_BYTES("9223372036854775807")),
     16, "9223372036854775807 bytes|FP32|[2, 2]|takes 16"},
    {ASK(DATA_BYTES("18446744073709551616"), LENS), 16,
     "inputs[0].parameters.binary_data_size is 18446744073709551616|2^63 - 1"},
    {ASK(DATA_BYTES("15"), LENS_BYTES("16")), 32,
     "'input' declares 15 bytes|FP32|[2, 2]|takes 16"},
    {ASK(BARE_DATA, LENS_BYTES("15")), 31,
     "'sequence_lens' declares 15 bytes|INT64|takes 16"},
    {ASK(BARE("input", "BYTES", "[2,2]"), LENS), 0,
     "inputs[0] ('input') has neither data nor"},
    {ASK(BARE("input", "FP64", "[4611686018427387904,2]"), LENS), 16, "input"},
    {ASK(BYTES_INPUT("input", "UINT1", "[3,3]", "1"), LENS), 1,
     "'input' declares 1 bytes|UINT1|[3, 3]|takes 2"},
    {ASK(BYTES_INPUT("input", "COMPLEX128", "[1,1]", "8"), LENS), 8,
     "declares 8 bytes|COMPLEX128|takes 16"},
    {ASK(BYTES_INPUT("input", "BYTES", "[1,2]", "7"), ONES), 7,
     "data[1] of 'input'|4 bytes|3 are left"},
    {ASK(BYTES_INPUT("input", "BYTES", "[1,2]", "9"), ONES), 9, "'input'"},
};

/* More are in `texts`, with the whole error. */
LOOP_TEST(bytes_of_a_wrong_number_are_refused_with_both_numbers, COUNT(sizes))
{
    unsigned char zeros[64] = {0};

    assert_answer_refused(
        ask_binary(ONNX, sizes[_i].json, zeros, sizes[_i].len), 400,
        sizes[_i].parts, NULL);
}

/* With a context that ends so: g is right. */
#define GRADIENT(end, shape, data)                                             \
    "{'parameters':{'backward_context':'AQEAAgICARyZ5gjOGx7" end               \
    "},'inputs':[" INPUT("dY", "FP32", shape, data) "]}"

/* What is wrong with inputs and outputs, with bytes behind the document. */
static const struct {
    const char *model, *json, *tail;
    size_t len;
    const char *error;
} texts[] = {
    {ONNX, ASK(DATA, INPUT("seq_lens", "INT64", "[2]", "[2,1]")), "", 0,
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
    {ONNX, ASK(DATA, BARE_LENS), "", 0,
     "inputs[1] ('sequence_lens') has neither data nor "
     "parameters.binary_data_size nor parameters.shared_memory_region, and no "
     "bytes follow the document"},
    {ONNX, ASK(LENS, BARE("input", "BYTES", "[2,2]")), "0123", 4,
     "inputs[1] ('input') is BYTES, whose size does not follow from its shape: "
     "it needs parameters.binary_data_size"},
    {ONNX, ASK(DATA_BYTES("8"), LENS), "01234567", 8,
     "'input' declares 8 bytes, but FP32 of shape [2, 2] takes 16"},
    {ONNX, ASK(LENS_BYTES("16"), DATA_BYTES("16")),
     "0123456789abcdef0123456789", 26,
     "inputs[1] ('input') declares 16 bytes, but 10 are left of the 26 behind "
     "the document"},
    {ONNX, ASK(BARE_LENS, BARE_DATA), "0123456789abcdef0123456789", 26,
     "inputs[1] ('input') takes 16 bytes, but 10 are left of the 26 behind the "
     "document"},
    {ONNX, ASK(DATA_BYTES("16"), LENS), "0123456789abcdef012", 19,
     "19 bytes follow the document, but the inputs take 16"},
    {ONNX,
     ASK(BYTES_INPUT("input", "BOOL", "[3,1]", "3"),
         INPUT("sequence_lens", "INT64", "[1]", "[3]")),
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
    {GRAD, GRADIENT("g','time_axis':0", "[2,2]", "[1,2,3,4]"), "", 0,
     "backward_context and time_axis are both given: the context holds the "
     "axes"},
    {GRAD, GRADIENT("A'", "[2,2]", "[1,2,3,4]"), "", 0,
     "backward_context is damaged: give back the string that the forward pass "
     "answered"},
    {GRAD, GRADIENT("g'", "[3,2]", "[1,2,3,4,5,6]"), "", 0,
     "backward_context is for 2 entries on axis 0, but 'dY' has 3"},
    {GRAD, GRADIENT("g'", "[2]", "[1,2]"), "", 0,
     "backward_context is for axis 1, but 'dY' has rank 1"},
};

LOOP_TEST(refusal_says_what_is_wrong_and_where, COUNT(texts))
{
    char error[300];

    snprintf(error, sizeof(error), "{\"error\":\"%s\"}", texts[_i].error);
    assert_answer_body(ask_binary(texts[_i].model, texts[_i].json,
                                  texts[_i].tail, texts[_i].len),
                       400, error);
}
