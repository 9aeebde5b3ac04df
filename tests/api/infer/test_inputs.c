/* The bytes of tensors behind the document, and their number. */
#include <check.h>
#include <stdio.h>

#include "tests/api/ask.h"
#include "tests/api/documents.h"
#include "tests/count.h"
#include "tests/suite.h"

#define DATA_BYTES(size) BYTES_INPUT("input", "FP32", "[2,2]", size)
#define ONES INPUT("sequence_lens", "INT64", "[2]", "[1,1]")
#define LENS_BYTES(size) BYTES_INPUT("sequence_lens", "INT64", "[2]", size)

static const struct {
    float data[4];
    int64_t lens[2];
} data_first = {{1, 2, 3, 4}, {2, 1}};
static const struct {
    int64_t lens[2];
    float data[4];
} lens_first = {{2, 1}, {1, 2, 3, 4}};

START_TEST(bytes_are_taken_in_the_order_of_the_inputs)
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
END_TEST

START_TEST(bytes_and_json_may_be_mixed)
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
END_TEST

START_TEST(bytes_may_start_at_any_alignment)
{
    char json[256];

    for (int i = 0; i < 16; i++) {
        snprintf(json, sizeof(json), "{%*s'inputs':[%s,%s]}", i, "",
                 LENS_BYTES("16"), DATA_BYTES("16"));
        assert_answer_data(ask_binary(ONNX, json, &lens_first, 32), RESULT);
    }
}
END_TEST

/* Documents with `len` zero bytes behind them. */
static const struct {
    const char *json;
    size_t len;
    const char *parts;
} sizes[] = {
    {"{'inputs':[" DATA_BYTES("16") "," LENS "]}", 15,
     "inputs[0] ('input')|16 bytes|15 are left|15 behind"},
    {"{'inputs':[" DATA_BYTES("16") "," LENS "]}", 17,
     "17 bytes follow|declare 16"},
    {"{'inputs':[" DATA_BYTES("16") "," LENS "]}", 0,
     "inputs[0] ('input')|16 bytes|0 are left"},
    {"{'inputs':[" LENS "," DATA_BYTES("16") "]}", 15,
     "inputs[1] ('input')|16 bytes|15 are left"},
    {"{'inputs':[" DATA_BYTES("16") "," LENS_BYTES("16") "]}", 31,
     "inputs[1] ('sequence_lens')|16 bytes|15 are left|31 behind"},
    {"{'inputs':[" DATA_BYTES("16") "," LENS_BYTES("16") "]}", 33,
     "33 bytes follow|declare 32"},
    {"{'inputs':[" DATA_BYTES("8") "," LENS "]}", 8,
     "'input' declares 8 bytes|FP32|[2, 2]|takes 16"},
    {"{'inputs':[" DATA_BYTES("20") "," LENS "]}", 20,
     "'input' declares 20 bytes|FP32|[2, 2]|takes 16"},
    {"{'inputs':[" DATA_BYTES("0") "," LENS "]}", 0,
     "'input' declares 0 bytes|takes 16"},
    {"{'inputs':[" DATA "," LENS_BYTES("8") "]}", 8,
     "'sequence_lens' declares 8 bytes|INT64|[2]|takes 16"},
    {"{'inputs':[" DATA "," LENS "]}", 1, "1 bytes follow|declare 0"},
    {"{'inputs':[" DATA_BYTES("9223372036854775807") "," LENS "]}", 16,
     "9223372036854775807 bytes|FP32|[2, 2]|takes 16"},
    {"{'inputs':[" DATA_BYTES("9223372036854775807") "," LENS_BYTES(
         "9223372036854775807") "]}",
     16, "9223372036854775807 bytes|FP32|[2, 2]|takes 16"},
    {"{'inputs':[" DATA_BYTES("18446744073709551616") "," LENS "]}", 16,
     "inputs[0].parameters.binary_data_size|no 64-bit integer"},
    {"{'inputs':[" DATA_BYTES("17") "," LENS_BYTES("16") "]}", 32,
     "'input' declares 17 bytes|FP32|[2, 2]|takes 16"},
    {"{'inputs':[" DATA_BYTES("15") "," LENS_BYTES("16") "]}", 32,
     "'input' declares 15 bytes|FP32|[2, 2]|takes 16"},
    {"{'inputs':[" DATA_BYTES("-1") "," LENS "]}", 16,
     "inputs[0].parameters.binary_data_size is -1|0 or more"},
    {"{'inputs':[" DATA_BYTES("'16'") "," LENS "]}", 16,
     "inputs[0].parameters.binary_data_size is a string|an integer"},
    {"{'inputs':[" DATA_BYTES("16.0") "," LENS "]}", 16,
     "inputs[0].parameters.binary_data_size is a number|an integer"},
    {"{'inputs':[" DATA_BYTES("true") "," LENS "]}", 16,
     "inputs[0].parameters.binary_data_size is a boolean|an integer"},
    {"{'inputs':[{'name':'input','datatype':'FP32','shape':[2,2],'data':"
     "[1,2,3,4],'parameters':{'binary_data_size':16}}," LENS "]}",
     16, "inputs[0] ('input') has both data and"},
    {"{'inputs':[{'name':'input','datatype':'FP32','shape':[2,2]}," LENS "]}",
     0, "inputs[0] ('input') has neither data nor|binary_data_size"},
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

START_TEST(bytes_of_a_wrong_number_are_refused_with_both_numbers)
{
    unsigned char zeros[64] = {0};

    assert_answer_refused(
        ask_binary(ONNX, sizes[_i].json, zeros, sizes[_i].len), 400,
        sizes[_i].parts, NULL);
}
END_TEST

START_TEST(bytes_element_longer_than_the_body_is_refused)
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
END_TEST

SUITE("infer_inputs", TEST(bytes_are_taken_in_the_order_of_the_inputs),
      TEST(bytes_and_json_may_be_mixed), TEST(bytes_may_start_at_any_alignment),
      LOOP(bytes_of_a_wrong_number_are_refused_with_both_numbers, COUNT(sizes)),
      TEST(bytes_element_longer_than_the_body_is_refused))
