/* Inferences asked by gRPC's messages: what is accepted, and what comes back.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/api/message.h"
#include "tests/unit.h"

#define MODEL "'model_name': 'onnx.ReverseSequence'"
#define LENS "{'name': 'sequence_lens', 'datatype': 'INT64', 'shape': [2]"
#define DATA "{'name': 'input', 'datatype': "
#define TWO_LENS LENS ", 'contents': {'int64_contents': [2, 1]}}"
#define RAW_LENS "'02000000000000000100000000000000'"
#define HEAD "model='onnx.ReverseSequence' version='10'"

/* time_axis 0: shape [2, 2] of lengths 2 and 1 swaps the first column. */
static const struct {
    const char *json, *text;
} accepted[] = {
    {"{" MODEL ", 'id': '7', 'inputs': [" DATA "'INT8', 'shape': [2, 2]}, " LENS
     "}], 'raw_input_contents': ['01020304', " RAW_LENS "]}",
     HEAD " id='7'  'Y' 'INT8' 2 2  03020104"},
    /* lengths first, and an output that is named */
    {"{" MODEL ", 'model_version': '10', 'inputs': [" LENS "}, " DATA
     "'INT8', 'shape': [2, 2]}], 'outputs': [{'name': 'Y'}], "
     "'raw_input_contents': [" RAW_LENS ", '01020304']}",
     HEAD "  'Y' 'INT8' 2 2  03020104"},
    /* each list of contents */
    {"{" MODEL ", 'inputs': [" DATA
     "'BOOL', 'shape': [2, 2], 'contents': {'bool_contents': [true, false, "
     "false, true]}}, " TWO_LENS "]}",
     HEAD "  'Y' 'BOOL' 2 2  00000101"},
    {"{" MODEL ", 'inputs': [" DATA
     "'INT8', 'shape': [2, 2], 'contents': {'int_contents': [-1, 2, -128, "
     "127]}}, " TWO_LENS "]}",
     HEAD "  'Y' 'INT8' 2 2  8002ff7f"},
    {"{" MODEL ", 'inputs': [" DATA
     "'INT16', 'shape': [2, 1], 'contents': {'int_contents': [-32768, 2]}}, "
     "{'name': 'sequence_lens', 'datatype': 'INT64', 'shape': [1], 'contents': "
     "{'int64_contents': [2]}}]}",
     HEAD "  'Y' 'INT16' 2 1  02000080"},
    {"{" MODEL ", 'inputs': [" DATA
     "'INT32', 'shape': [2, 2], 'contents': {'int_contents': [-2, 300, 5, "
     "6]}}, " TWO_LENS "]}",
     HEAD "  'Y' 'INT32' 2 2  050000002c010000feffffff06000000"},
    {"{" MODEL ", 'inputs': [" DATA
     "'INT64', 'shape': [2, 2], 'contents': {'int64_contents': [-1, 1, 2, "
     "3]}}, " TWO_LENS "]}",
     HEAD "  'Y' 'INT64' 2 2  "
          "02000000000000000100000000000000ffffffffffffffff0300000000000000"},
    {"{" MODEL ", 'inputs': [" DATA
     "'UINT8', 'shape': [2, 2], 'contents': {'uint_contents': [255, 1, 2, "
     "3]}}, " TWO_LENS "]}",
     HEAD "  'Y' 'UINT8' 2 2  0201ff03"},
    {"{" MODEL ", 'inputs': [" DATA
     "'UINT16', 'shape': [2, 2], 'contents': {'uint_contents': [65535, 1, 2, "
     "3]}}, " TWO_LENS "]}",
     HEAD "  'Y' 'UINT16' 2 2  02000100ffff0300"},
    {"{" MODEL ", 'inputs': [" DATA
     "'UINT32', 'shape': [2, 2], 'contents': {'uint_contents': [4294967295, 1, "
     "2, 3]}}, " TWO_LENS "]}",
     HEAD "  'Y' 'UINT32' 2 2  0200000001000000ffffffff03000000"},
    {"{" MODEL ", 'inputs': [" DATA
     "'UINT64', 'shape': [2, 2], 'contents': {'uint64_contents': [-1, 1, 2, "
     "3]}}, " TWO_LENS "]}",
     HEAD "  'Y' 'UINT64' 2 2  "
          "02000000000000000100000000000000ffffffffffffffff0300000000000000"},
    {"{" MODEL ", 'inputs': [" DATA
     "'FP32', 'shape': [2, 2], 'contents': {'fp32_contents': [1, 2, 3, "
     "4]}}, " TWO_LENS "]}",
     HEAD "  'Y' 'FP32' 2 2  00004040000000400000803f00008040"},
    {"{" MODEL ", 'inputs': [" DATA
     "'FP64', 'shape': [2, 2], 'contents': {'fp64_contents': [1, 2, 3, "
     "4]}}, " TWO_LENS "]}",
     HEAD "  'Y' 'FP64' 2 2  "
          "00000000000008400000000000000040000000000000f03f0000000000001040"},
    {"{" MODEL ", 'inputs': [" DATA
     "'BYTES', 'shape': [2, 2], 'contents': {'bytes_contents': ['ab', '', 'c', "
     "'d']}}, " TWO_LENS "]}",
     HEAD "  'Y' 'BYTES' 2 2  0100000063000000000200000061620100000064"},
    /* BYTES raw */
    {"{" MODEL ", 'inputs': [" DATA "'BYTES', 'shape': [2, 2]}, " LENS
     "}], 'raw_input_contents': "
     "['0200000061620000000001000000630100000064', " RAW_LENS "]}",
     HEAD "  'Y' 'BYTES' 2 2  0100000063000000000200000061620100000064"},
    /* one raw, one typed, whichever comes first */
    {"{" MODEL ", 'inputs': [" TWO_LENS ", " DATA
     "'INT8', 'shape': [2, 2]}], 'raw_input_contents': ['01020304']}",
     HEAD "  'Y' 'INT8' 2 2  03020104"},
    /* no element */
    {"{" MODEL ", 'inputs': [" DATA "'FP32', 'shape': [0, 2]}, " LENS
     ", 'contents': {'int64_contents': [0, 0]}}]}",
     HEAD "  'Y' 'FP32' 0 2  "},
    {"{" MODEL ", 'inputs': [" DATA "'FP32', 'shape': [0, 2]}, " LENS
     "}], 'raw_input_contents': ['', '00000000000000000000000000000000']}",
     HEAD "  'Y' 'FP32' 0 2  "},
    /* FP16 has no list, but raw bytes */
    {"{" MODEL ", 'inputs': [" DATA "'FP16', 'shape': [2, 2]}, " TWO_LENS
     "], 'raw_input_contents': ['0100020003000400']}",
     HEAD "  'Y' 'FP16' 2 2  0300020001000400"},
    /* parameters of each kind, as clients send them */
    {"{" MODEL ", 'parameters': {'time_axis': 1, 'batch_axis': '0', "
     "'sequence_id': {'uint64': '18446744073709551615'}, 'priority': "
     "1, 'sequence_start': true, 'mine': 1.5, 'timeout': 1000000, "
     "'triton_enable_empty_final_response': true, "
     "'binary_data_output': false}, 'inputs': [" DATA
     "'INT8', 'shape': [2, 2], 'parameters': {'binary_data_size': 4, "
     "'content_type': 'np'}}, {'name': 'sequence_lens', 'datatype': 'INT64', "
     "'shape': [2, 1], 'parameters': {}}], 'outputs': "
     "[{'name': 'Y', 'parameters': {'binary_data': true}}], "
     "'raw_input_contents': ['01020304', " RAW_LENS "]}",
     HEAD "  'triton_final_response'=true  'Y' 'INT8' 2 2  02010304"},
    /* whole numbers are integers, as in JSON */
    {"{" MODEL ", 'parameters': {'time_axis': 1.0, 'batch_axis': -0.0, "
     "'timeout': 1e18}, 'inputs': [" DATA "'INT8', 'shape': [2, 2]}, " TWO_LENS
     "], 'raw_input_contents': ['01020304']}",
     HEAD "  'Y' 'INT8' 2 2  02010304"},
    /* a mark of the last response that is not wanted; asked for as a text */
    {"{" MODEL ", 'parameters': {'triton_enable_empty_final_response': false}, "
     "'inputs': [" DATA "'INT8', 'shape': [2, 2]}, " TWO_LENS
     "], 'raw_input_contents': ['01020304']}",
     HEAD "  'Y' 'INT8' 2 2  03020104"},
    {"{" MODEL ", 'parameters': {'triton_enable_empty_final_response': "
     "'true'}, 'inputs': [" DATA "'INT8', 'shape': [2, 2]}, " TWO_LENS
     "], 'raw_input_contents': ['01020304']}",
     HEAD "  'Y' 'INT8' 2 2  03020104"},
    /* unknown fields, of every type and in every message: numbers, fixed ones,
     * bytes, a group in a group */
    {"{" MODEL ", 'unknown': 'f807 2a f907 0102030405060708 fa07 02 6162fd07 "
     "01020304 fb07 8308 f807 01 8408 fc07', 'inputs': [" DATA
     "'INT8', 'shape': [2, 2], 'unknown': 'f80701'}, " LENS
     ", 'contents': {'int64_contents': [2, 1], 'raw': 'fb0708ff01fc07'}}], "
     "'raw_input_contents': ['01020304']}",
     HEAD "  'Y' 'INT8' 2 2  03020104"},
    /* known numbers with other types are unknown fields */
    {"{'unknown': '0801', " MODEL ", 'inputs': [" DATA
     "'INT8', 'shape': [2, 2], 'unknown': '0801 1d00000000'}, " TWO_LENS
     "], 'raw_input_contents': ['01020304']}",
     HEAD "  'Y' 'INT8' 2 2  03020104"},
    /* the last one counts; lists and contents that stand twice are joined */
    {"{'unknown': '0a0178 1a0139', " MODEL
     ", 'id': '8', 'inputs': [{'unknown': '0a0178 1201 79 1802', 'name': "
     "'input', 'datatype': 'INT8', 'shape': [2], 'contents': {'int_contents': "
     "[1], 'raw': '10 02'}, 'more': '2a04 1202 0304'}, " TWO_LENS "]}",
     HEAD " id='8'  'Y' 'INT8' 2 2  03020104"},
};

LOOP_TEST(a_message_is_answered, COUNT(accepted))
{
    struct answer a = ask_message(accepted[_i].json, (struct ask){0});
    char *text;

    ck_assert_msg(a.status == 200, "%s", a.body);
    ck_assert_str_eq(a.content_type, "application/grpc");
    text = message_text((unsigned char *)a.body, a.len);
    ck_assert_str_eq(text, accepted[_i].text);
    free(text);
    answer_free(&a);
}

LOOP_TEST(lists_need_not_be_packed, COUNT(accepted))
{
    struct answer packed = ask_message(accepted[_i].json, (struct ask){0});
    struct answer a =
        ask_message(accepted[_i].json, (struct ask){.unpacked = true});

    ck_assert_int_eq(a.status, packed.status);
    ck_assert_uint_eq(a.len, packed.len);
    ck_assert_int_eq(memcmp(a.body, packed.body, a.len), 0);
    answer_free(&a);
    answer_free(&packed);
}

/* Nothing is read behind a message that is cut anywhere, and a cut one is
 * refused, or is a whole one. */
LOOP_TEST(a_cut_message_is_refused, COUNT(accepted))
{
    struct message m = message_of(accepted[_i].json, false);

    for (size_t len = 0; len < m.len; len++) {
        struct answer a = ask(&(struct ask){.path = "/v2/models/-/infer",
                                            .protobuf = true,
                                            .json = (char *)m.data,
                                            .json_len = len});

        if (a.status != 400 && a.status != 404 && a.status != 200)
            ck_abort_msg("%d after %zu bytes: %s", a.status, len, a.body);
        answer_free(&a);
    }
    message_free(&m);
}
