/* Inferences asked by gRPC's messages: what is accepted and what comes back,
 * and what is refused and why. */
#include <malloc.h>

#include "tests/api/answer.h"
#include "tests/api/message.h"
#include "tests/unit.h"

#define MODEL "'model_name': 'onnx.ReverseSequence'"
#define LENS "{'name': 'sequence_lens', 'datatype': 'INT64', 'shape': [2]"
#define DATA "{'name': 'input', 'datatype': "
#define TWO_LENS LENS ", 'contents': {'int64_contents': [2, 1]}}"
#define ONE_LENGTH                                                             \
    "{'name': 'sequence_lens', 'datatype': 'INT64', 'shape': [1], "            \
    "'contents': {'int64_contents': [2]}}"
#define RAW_LENS "'02000000000000000100000000000000'"
#define RAW_DATA DATA "'INT8', 'shape': [2, 2]}"
#define IN_REGION(end)                                                         \
    DATA "'INT8', 'shape': [2, 2], 'parameters': {'shared_memory_region': "    \
         "'r', 'shared_memory_byte_size': 4}" end
#define RAW(list) ", 'raw_input_contents': [" list "]"
/* A whole message, with members in front of its inputs and behind them. */
#define SEND(members, data, lens, rest)                                        \
    "{" MODEL members ", 'inputs': [" data ", " lens "]" rest "}"
#define SEND_RAW(members, data) SEND(members, data, TWO_LENS, RAW("'01020304'"))
/* One with typed contents, and the reply. */
#define TYPED(datatype, list, values)                                          \
    SEND("",                                                                   \
         DATA "'" datatype "', 'shape': [2, 2], 'contents': {'" list           \
              "': [" values "]}}",                                             \
         TWO_LENS, "")
#define TYPED_GIVES(datatype, list, values, bytes)                             \
    TYPED(datatype, list, values), HEAD "  'Y' '" datatype "' 2 2  " bytes
#define COLUMN(datatype, contents)                                             \
    SEND("",                                                                   \
         DATA "'" datatype "', 'shape': [2, 1], 'contents': {" contents "}}",  \
         ONE_LENGTH, "")
#define COLUMN_GIVES(datatype, contents, bytes)                                \
    COLUMN(datatype, contents), HEAD "  'Y' '" datatype "' 2 1  " bytes
/* 28 fields without a byte; of a choice, a field of each other type, and one
 * with the greatest number. */
#define EMPTY_FIELDS                                                           \
    "7a007a007a007a007a007a007a007a007a007a007a007a007a007a00"                 \
    "7a007a007a007a007a007a007a007a007a007a007a007a007a007a00"
#define OTHER_CHOICES "0a0141 1800 2000 2d05000000 3005 f8ffffff0f05"
/* Eight parameters of the client's own. */
#define OWN(x)                                                                 \
    "'p" x "0': 1, 'p" x "1': 1, 'p" x "2': 1, 'p" x "3': 1, 'p" x             \
    "4': 1, 'p" x "5': 1, 'p" x "6': 1, 'p" x "7': 1, "
#define TIME_AXIS "0a0974696d655f61786973"
#define HEAD "model='onnx.ReverseSequence' version='10'"
#define MOVED HEAD "  'Y' 'INT8' 2 2  03020104"
#define BY_BATCH HEAD "  'Y' 'INT8' 2 2  02010304"

/* time_axis 0: shape [2, 2] of lengths 2 and 1 swaps the first column. */
static const struct {
    const char *json, *text;
} accepted[] = {
    {SEND(", 'id': '7'", RAW_DATA, LENS "}", RAW("'01020304', " RAW_LENS)),
     HEAD " id='7'  'Y' 'INT8' 2 2  03020104"},
    /* lengths first, and an output that is named */
    {SEND(", 'model_version': '10'", LENS "}", RAW_DATA,
          ", 'outputs': [{'name': 'Y'}]" RAW(RAW_LENS ", '01020304'")),
     MOVED},
    /* each list of contents */
    {TYPED_GIVES("BOOL", "bool_contents", "true, false, false, true",
                 "00000101")},
    {TYPED_GIVES("INT8", "int_contents", "-1, 2, -128, 127", "8002ff7f")},
    {COLUMN_GIVES("INT16", "'int_contents': [-32768, 2]", "02000080")},
    /* 32 bits of a sign, any bit of a truth, and a list in two parts */
    {COLUMN_GIVES("INT8", "'raw': '1206 feffffff0f 05'", "05fe")},
    {COLUMN_GIVES("BOOL", "'raw': '0a02 0200'", "0001")},
    {COLUMN_GIVES("BOOL", "'raw': '0a07 808080808010 00'", "0001")},
    {COLUMN_GIVES("UINT8", "'raw': '2206 8580808010 07'", "0705")},
    {COLUMN_GIVES("UINT32", "'raw': '2206 8580808010 07'", "0700000005000000")},
    {COLUMN_GIVES("FP32", "'raw': '3204 0000803f 3204 00000040'",
                  "000000400000803f")},
    {TYPED_GIVES("INT32", "int_contents", "-2, 300, 5, 6",
                 "050000002c010000feffffff06000000")},
    {TYPED_GIVES(
        "INT64", "int64_contents", "-1, 1, 2, 3",
        "02000000000000000100000000000000ffffffffffffffff0300000000000000")},
    {TYPED_GIVES("UINT8", "uint_contents", "255, 1, 2, 3", "0201ff03")},
    {TYPED_GIVES("UINT16", "uint_contents", "65535, 1, 2, 3",
                 "02000100ffff0300")},
    {TYPED_GIVES("UINT32", "uint_contents", "4294967295, 1, 2, 3",
                 "0200000001000000ffffffff03000000")},
    {TYPED_GIVES(
        "UINT64", "uint64_contents", "-1, 1, 2, 3",
        "02000000000000000100000000000000ffffffffffffffff0300000000000000")},
    {TYPED_GIVES("FP32", "fp32_contents", "1, 2, 3, 4",
                 "00004040000000400000803f00008040")},
    {TYPED_GIVES(
        "FP64", "fp64_contents", "1, 2, 3, 4",
        "00000000000008400000000000000040000000000000f03f0000000000001040")},
    {TYPED_GIVES("BYTES", "bytes_contents", "'ab', '', 'c', 'd'",
                 "0100000063000000000200000061620100000064")},
    /* BYTES raw */
    {SEND("", DATA "'BYTES', 'shape': [2, 2]}", LENS "}",
          RAW("'0200000061620000000001000000630100000064', " RAW_LENS)),
     HEAD "  'Y' 'BYTES' 2 2  0100000063000000000200000061620100000064"},
    /* one raw, one typed, whichever comes first */
    {SEND("", TWO_LENS, RAW_DATA, RAW("'01020304'")), MOVED},
    /* no element */
    {SEND("", DATA "'FP32', 'shape': [0, 2]}",
          LENS ", 'contents': {'int64_contents': [0, 0]}}", ""),
     HEAD "  'Y' 'FP32' 0 2  "},
    {SEND("", DATA "'FP32', 'shape': [0, 2]}", LENS "}",
          RAW("'', '00000000000000000000000000000000'")),
     HEAD "  'Y' 'FP32' 0 2  "},
    /* a list without elements is none */
    {COLUMN_GIVES("FP32", "'fp32_contents': [1, 2], 'raw': '1200 2a00'",
                  "000000400000803f")},
    {SEND_RAW("", DATA "'INT8', 'shape': [2, 2], 'contents': {'raw': '0a00'}}"),
     MOVED},
    /* one element; as many dims as there may be */
    {SEND("",
          DATA "'FP32', 'shape': [1, 1], 'contents': {'fp32_contents': [1.5]}}",
          "{'name': 'sequence_lens', 'datatype': 'INT64', 'shape': [1], "
          "'contents': {'int64_contents': [1]}}",
          ""),
     HEAD "  'Y' 'FP32' 1 1  0000c03f"},
    {SEND_RAW("", DATA
              "'INT8', 'shape': [2, 2, 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
              "1,1,1,1,1,1,1,1,1,1]}"),
     HEAD
     "  'Y' 'INT8' 2 2 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 "
     "1 1 1 1  03020104"},
    /* a scalar */
    {"{'model_name': 'openvino.Reverse', 'parameters': {'mode': 'mask'}, "
     "'inputs': [{'name': 'data', 'datatype': 'INT8', 'contents': "
     "{'int_contents': [5]}}, {'name': 'axis', 'datatype': 'BOOL', 'shape': "
     "[0]}]}",
     "model='openvino.Reverse' version='1'  'output' 'INT8'  05"},
    /* FP16 has no list, but raw bytes */
    {SEND("", DATA "'FP16', 'shape': [2, 2]}", TWO_LENS,
          RAW("'0100020003000400'")),
     HEAD "  'Y' 'FP16' 2 2  0300020001000400"},
    /* parameters of each kind, as clients send them */
    {SEND(", 'parameters': {'time_axis': 1, 'batch_axis': '0', "
          "'sequence_id': {'uint64': '18446744073709551615'}, 'priority': "
          "1, 'sequence_start': true, 'mine': 1.5, 'timeout': 1000000, "
          "'triton_enable_empty_final_response': true, "
          "'binary_data_output': false}",
          DATA "'INT8', 'shape': [2, 2], 'parameters': {'binary_data_size': 4, "
               "'content_type': 'np'}}",
          "{'name': 'sequence_lens', 'datatype': 'INT64', 'shape': [2, 1], "
          "'parameters': {}}",
          ", 'outputs': [{'name': 'Y', 'parameters': {'binary_data': "
          "true}}]" RAW("'01020304', " RAW_LENS)),
     HEAD "  'triton_final_response'=true  'Y' 'INT8' 2 2  02010304"},
    /* negative axes */
    {"{'model_name': 'openvino.ReverseSequence', 'parameters': {'batch_axis': "
     "-1, 'seq_axis': -2}, 'inputs': [{'name': 'data', 'datatype': 'INT8', "
     "'shape': [2, 2], 'contents': {'int_contents': [1, 2, 3, 4]}}, {'name': "
     "'seq_lengths', 'datatype': 'INT64', 'shape': [2], 'contents': "
     "{'int64_contents': [2, 1]}}]}",
     "model='openvino.ReverseSequence' version='1'  'output' 'INT8' 2 2  "
     "03020104"},
    /* whole numbers are integers, as in JSON */
    {SEND_RAW(", 'parameters': {'time_axis': 1.0, 'batch_axis': -0.0, "
              "'timeout': 1e18}",
              RAW_DATA),
     BY_BATCH},
    /* as many as there may be; the last one of a key counts, also then */
    {SEND_RAW(", 'parameters': {'time_axis': 5, " OWN("a") OWN("b") OWN(
                  "c") "'c8': 1, 'c9': 1, 'd0': 1, 'd1': 1, 'd2': 1, 'd3': 1, "
                       "'triton_enable_empty_final_response': false, "
                       "'batch_axis': 5}, "
                       "'unknown': '220f " TIME_AXIS "1202 1001 2210 "
                       "0a0a62617463685f61786973 1202 1000'",
              RAW_DATA),
     BY_BATCH},
    /* the last one of the choices counts; unknown ones, and known numbers with
     * other types, are unknown fields */
    {SEND_RAW(", 'parameters': {'batch_axis': 0}, 'unknown': '2229 " TIME_AXIS
              "1218 1005 1001 " OTHER_CHOICES " 1a02 1007'",
              RAW_DATA),
     BY_BATCH},
    /* what the reply repeats, and the context of the gradient: time axis 0,
     * batch axis 1, two steps, two sequences of lengths 2 and 1 */
    {"{'model_name': 'graiphic.ReverseSequence', 'parameters': {'name': 'n'}, "
     "'inputs': [" RAW_DATA ", " TWO_LENS "]" RAW("'01020304'") "}",
     "model='graiphic.ReverseSequence' version='1'  'name'='n'  "
     "'backward_context'='AQEAAgICARyZ5gjOGx7g'  'Y' 'INT8' 2 2  03020104"},
    {"{'model_name': 'graiphic.ReverseSequenceGrad', 'parameters': "
     "{'lda_coeff': 2, 'backward_context': 'AQEAAgICARyZ5gjOGx7g'}, 'inputs': "
     "[{'name': 'dY', 'datatype': 'FP32', 'shape': [2, 2], 'contents': "
     "{'fp32_contents': [1, 2, 3, 4]}}]}",
     "model='graiphic.ReverseSequenceGrad' version='1'  'dX' 'FP32' 2 2  "
     "0000c040000080400000004000000041"},
    /* a mark of the last response that is not wanted; asked for as a text */
    {SEND_RAW(", 'parameters': {'triton_enable_empty_final_response': false}",
              RAW_DATA),
     MOVED},
    {SEND_RAW(", 'parameters': {'triton_enable_empty_final_response': 'true'}",
              RAW_DATA),
     MOVED},
    /* unknown fields, of every type and in every message: numbers, fixed ones,
     * bytes, a group in a group */
    {SEND(", 'unknown': 'f807 2a f907 0102030405060708 fa07 02 6162fd07 "
          "01020304 fb07 8308 f807 01 8408 fc07'",
          DATA "'INT8', 'shape': [2, 2], 'unknown': 'f80701 " EMPTY_FIELDS "'}",
          LENS ", 'contents': {'int64_contents': [2, 1], 'raw': "
               "'fb0708ff01fc07 4805 4a02 1807 f8ffffff0f05'}, 'unknown': "
               "'7a02 1807'}",
          RAW("'01020304'")),
     MOVED},
    /* known numbers with other types are unknown fields */
    {"{'unknown': '0801 2001 2801 3001 3801 " EMPTY_FIELDS EMPTY_FIELDS
         EMPTY_FIELDS EMPTY_FIELDS "', " MODEL ", 'inputs': [" DATA
     "'INT8', 'shape': [2, 2], 'unknown': '0801 1d00000000 2001'}, " LENS
     ", 'contents': {'int64_contents': [2, 1], 'raw': '3001 1d07000000'}, "
     "'unknown': '29 1807 1807 1807 1807'}], 'outputs': [{'name': 'Y', "
     "'unknown': '0801 1001'}]" RAW("'01020304'") "}",
     MOVED},
    /* the last one counts; lists and contents that stand twice are joined */
    {"{'unknown': '0a0178 1a0139', " MODEL
     ", 'id': '8', 'inputs': [{'unknown': '0a0178 1201 79 1802', 'name': "
     "'input', 'datatype': 'INT8', 'shape': [2], 'contents': {'int_contents': "
     "[1], 'raw': '10 02'}, 'more': '2a04 1202 0304'}, " TWO_LENS "]}",
     HEAD " id='8'  'Y' 'INT8' 2 2  03020104"},
};

LOOP_TEST(a_message_is_answered, COUNT(accepted))
{
    assert_message(ask_message(accepted[_i].json, (struct ask){0}),
                   accepted[_i].text);
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

#define WRONG(datatype, list, values, right)                                   \
    TYPED(datatype, list, values), 400,                                        \
        "has " list ", but " datatype " takes " right
#define ALONE(input) "{" MODEL ", 'inputs': [" input "]}"

static const struct {
    const char *json;
    int status;
    const char *part;
} refused[] = {
    {"{'model_name': 'no', 'inputs': []}", 404,
     "Request for unknown model: 'no' is not found"},
    {"{}", 404, "Request for unknown model: '' is not found"},
    {"{" MODEL ", 'model_version': '3'}", 404, "version '3' is not found"},
    {"{" MODEL "}", 400, "inputs is missing"},
    {"{'unknown': '0a03610062'}", 400,
     "{\"error\":\"model_name holds a NUL character\"}"},
    {"{'unknown': '0a03610062 0a026e6f'}", 404, "'no' is not found"},
    {"{" MODEL ", 'unknown': '1203310032'}", 400,
     "{\"error\":\"model_version holds a NUL character\"}"},
    {ALONE("{'unknown': '0a03610062'}"), 400, "inputs[0].name holds a NUL"},
    {ALONE("{'unknown': '1203610062'}"), 400, "inputs[0].datatype holds a NUL"},
    {"{" MODEL ", 'outputs': [{'unknown': '0a03610062'}]}", 400,
     "outputs[0].name holds a NUL"},
    {"{" MODEL ", 'unknown': '2205 0a03610062'}", 400,
     "parameters holds a NUL"},
    {ALONE(DATA "'INT8', 'shape': [2], 'unknown': '2205 0a03610062'}"), 400,
     "inputs[0].parameters holds a NUL"},
    /* shapes and datatypes */
    {ALONE("{'shape': [1, -2]}"), 400,
     "inputs[0].shape[1] is -2, but a dim is 0 or more"},
    {ALONE("{'shape': [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
           "1,1,1,1,1]}"),
     400, "inputs[0].shape has rank 33, but the limit is 32"},
    {SEND("", RAW_DATA, "{'shape': [-1]}", ""), 400,
     "inputs[1].shape[0] is -1, but a dim is 0 or more"},
    {SEND("", RAW_DATA, "{'datatype': 'X'}", ""), 400,
     "inputs[1].datatype is 'X', but"},
    {SEND("", RAW_DATA, LENS ", 'parameters': {'x': null}}", ""), 400,
     "inputs[1].parameters.x has no value"},
    {ALONE("{'name': 'input'}"), 400,
     "inputs[0].datatype is '', but it must be one of BOOL"},
    {ALONE("{}, {}, {}, {}, {}"), 400, "inputs has more than 4 entries"},
    {SEND("", RAW_DATA ", " TWO_LENS, RAW_DATA ", " RAW_DATA,
          RAW("'01020304', '01020304', '01020304'")),
     400, "inputs[2] repeats 'input' of inputs[0]"},
    {"{" MODEL ", 'unknown': '2200'}", 400, "parameters. has no value"},
    {"{" MODEL ", 'inputs': [" TWO_LENS "], 'outputs': [{}, {}, {}, {}, {}]}",
     400, "outputs has more than 4 entries"},
    {"{" MODEL ", 'inputs': [" TWO_LENS "], 'outputs': [{}, {}, {}, "
     "{'parameters': {'shared_memory_offset': 1}}]}",
     400, "outputs[3].parameters has shared_memory_offset without"},
    /* contents */
    {TYPED("INT8", "int_contents", "1, 2, 3, 128"), 400,
     "data[3] of 'input' is 128, but INT8 holds -128 to 127"},
    {TYPED("INT8", "int_contents", "1, -129, 3, 4"), 400,
     "data[1] of 'input' is -129, but INT8 holds -128 to 127"},
    {TYPED("INT16", "int_contents", "32768, 2, 3, 4"), 400,
     "data[0] of 'input' is 32768, but INT16 holds -32768 to 32767"},
    {COLUMN("INT8", "'raw': '120105 12028001'"), 400,
     "data[1] of 'input' is 128, but INT8 holds -128 to 127"},
    {TYPED("UINT16", "uint_contents", "1, 65536, 3, 128"), 400,
     "data[1] of 'input' is 65536, but UINT16 holds 0 to 65535"},
    {TYPED("FP32", "fp32_contents", "1, 2, 3"), 400,
     "data of 'input' has 3 elements, but shape [2, 2] has 4"},
    {WRONG("FP32", "int64_contents", "1, 2, 3, 4", "fp32_contents")},
    {TYPED("FP32", "fp32_contents", "1], 'fp64_contents': [2, 3, 4"), 400,
     "inputs[0] ('input') has fp64_contents, but FP32 takes fp32_contents"},
    {WRONG("INT8", "bool_contents", "true", "int_contents")},
    {WRONG("BOOL", "uint_contents", "1", "bool_contents")},
    {WRONG("UINT64", "bytes_contents", "''", "uint64_contents")},
    {WRONG("BYTES", "uint64_contents", "1", "bytes_contents")},
    {WRONG("UINT8", "int_contents", "1", "uint_contents")},
    {WRONG("FP64", "fp32_contents", "1", "fp64_contents")},
    {SEND("", RAW_DATA, LENS ", 'contents': {'fp64_contents': [1]}}",
          RAW("'01020304'")),
     400,
     "inputs[1] ('sequence_lens') has fp64_contents, but INT64 takes "
     "int64_contents"},
    {SEND("", RAW_DATA, LENS ", 'contents': {'int64_contents': [1]}}",
          RAW("'01020304'")),
     400, "data of 'sequence_lens' has 1 elements, but shape [2] has 2"},
    {TYPED("FP16", "fp32_contents", "1, 2, 3, 4"), 400,
     "inputs[0] ('input') has fp32_contents, but FP16 has no typed contents: "
     "send raw_input_contents"},
    {TYPED("BF16", "bytes_contents", "'1'"), 400,
     "but BF16 has no typed contents"},
    /* where the bytes are */
    {SEND("", DATA "'FP32', 'shape': [2, 2]}", TWO_LENS, ""), 400,
     "inputs[0] ('input') has neither contents nor raw_input_contents nor "
     "parameters.shared_memory_region"},
    {SEND("", RAW_DATA, TWO_LENS, RAW("'01020304', " RAW_LENS)), 400,
     "raw_input_contents has 2 entries, but 1 of the 2 inputs have neither "},
    {SEND("", IN_REGION("}"), LENS "}", RAW("'01020304', " RAW_LENS)), 400,
     "raw_input_contents has 2 entries, but 1 of the 2 inputs have neither "},
    {SEND("", RAW_DATA, LENS "}", RAW("'01020304', " RAW_LENS ", '', '', ''")),
     400,
     "raw_input_contents has 5 entries, but 2 of the 2 inputs have neither "},
    {SEND("", RAW_DATA, TWO_LENS, RAW("'010203'")), 400,
     "'input' has 3 bytes, but INT8 of shape [2, 2] takes 4"},
    {SEND_RAW("", DATA "'INT8', 'shape': [0, 2]}"), 400,
     "raw_input_contents has 1 entries, but only 0 of the inputs with"},
    {SEND("", RAW_DATA, LENS "}", RAW("'01020304'")), 400,
     "inputs[1] ('sequence_lens') has neither contents nor raw_input_"},
    {ALONE(IN_REGION(", 'contents': {'int_contents': [1, 2, 3, 4]}}")), 400,
     "inputs[0] ('input') has both contents and parameters.shared_memory"},
    {ALONE(DATA "'INT8', 'shape': [2, 2], 'parameters': {"
                "'shared_memory_region': 'r'}}"),
     400, "inputs[0].parameters has shared_memory_region without"},
    {SEND("", IN_REGION("}"), TWO_LENS, ""), 501,
     "'input' is in shared memory, which is not enabled"},
    /* parameters */
    {SEND_RAW(", 'parameters': {'timeout': {'uint64': '18446744073709551615'}}",
              RAW_DATA),
     400,
     "timeout is 18446744073709551615, but it must be an integer from "
     "-9223372036854775808 to 9223372036854775807"},
    {SEND_RAW(", 'parameters': {'timeout': 2.5}", RAW_DATA), 400,
     "timeout is 2.5, but it must be an integer"},
    {"{" MODEL ", 'parameters': {'time_axis': null}, 'inputs': [" TWO_LENS "]}",
     400, "parameters.time_axis has no value"},
    {"{" MODEL ", 'parameters': {" OWN("a") OWN("b") OWN("c")
         OWN("d") "'one': 1}, 'inputs': [" TWO_LENS "]}",
     400, "parameters has more than 32 entries"},
    {"{" MODEL ", 'outputs': [{'name': 'Y', 'parameters': {'classification': "
     "3}}], 'inputs': [" TWO_LENS "]}",
     400, "outputs[0].parameters.classification is unknown"},
    {"{" MODEL ", 'outputs': [{'name': 'Y', 'parameters': {'binary_data': "
     "3}}], 'inputs': [" TWO_LENS "]}",
     400, "outputs[0].parameters.binary_data is an integer, but it must be a "},
};

static const char *const unreadable[][2] = {
    {"{'unknown': '0a02ff41'}", "model_name is not UTF-8: see its byte 0"},
    {"{" MODEL ", 'unknown': '1202c080'}", "model_version is not UTF-8"},
    {"{" MODEL ", 'unknown': '1a02eda0'}", "id is not UTF-8"},
    {ALONE("{'unknown': '0a0180'}"), "inputs[0].name is not UTF-8"},
    {ALONE("{'unknown': '120180'}"), "inputs[0].datatype is not UTF-8"},
    {"{" MODEL ", 'outputs': [{}, {'unknown': '0a0180'}]}",
     "outputs[1].name is not UTF-8"},
    {ALONE("{}, {'unknown': '0a0180'}"), "inputs[1].name is not UTF-8"},
    {"{" MODEL ", 'unknown': '2203 0a0180'}", "parameters is not UTF-8"},
    {"{" MODEL ", 'unknown': '2205 1203 1a0180'}", "parameters is not UTF-8"},
    {"{'unknown': '0a'}", "malformed message at byte 1: a length"},
    {"{'unknown': 'fb07'}", "a group does not end"},
    {ALONE("{'unknown': '0a05'}"), "malformed message at byte"},
    {ALONE(DATA "'INT8', 'shape': [2], 'unknown': '2203 0a0961'}"),
     "malformed message at byte 44: a field is longer"},
    {ALONE("{'contents': {'raw': '08'}}"),
     "inputs[0].contents is malformed at its byte 1: a number does not end"},
    {ALONE("{'contents': {'raw': '3203 010203'}}"),
     "{\"error\":\"inputs[0].contents.fp32_contents has 3 bytes and ends "
     "inside its element 0\"}"},
    {ALONE("{'contents': {'raw': '3205 0102030405'}}"),
     "fp32_contents has 5 bytes and ends inside its element 1"},
    {ALONE("{'contents': {'raw': '3a04 01020304'}}"),
     "inputs[0].contents.fp64_contents has 4 bytes and ends inside its "
     "element 0"},
    {ALONE("{}, {'contents': {'raw': '2201 80'}}"),
     "inputs[1].contents.uint_contents has 1 bytes and ends inside its "
     "element 0"},
    {ALONE("{'contents': {'raw': '1203 01 02 80'}}"),
     "inputs[0].contents.int_contents has 3 bytes and ends inside its "
     "element 2"},
    {ALONE("{'unknown': '1a01 80'}"),
     "inputs[0].shape has a number that does not end"},
    {SEND("",
          DATA "'INT32', 'shape': [1], 'contents': {'raw': '120b "
               "ffffffffffffffffffff01'}}",
          TWO_LENS, ""),
     "data[0] of 'input' is a number of more than ten bytes"},
};

LOOP_TEST(a_message_is_refused, COUNT(refused))
{
    struct answer a = ask_message(refused[_i].json, (struct ask){0});

    ck_assert(!a.malformed);
    assert_answer_has(a, refused[_i].status, refused[_i].part);
}

LOOP_TEST(a_message_that_cannot_be_read_is_no_argument, COUNT(unreadable))
{
    struct answer a = ask_message(unreadable[_i][0], (struct ask){0});

    ck_assert(a.malformed);
    assert_answer_has(a, 400, unreadable[_i][1]);
}

/* The whole depth counts. Beside `more` there are 4 fields of the message and
 * 7 of its inputs; or, where the parameters of an input are read, its 5 and the
 * 6 of its two entries, of which one is refused in the end. */
LOOP_TEST(a_message_has_2000_fields_at_most, 3)
{
    enum { MOST = 2000 - 11 };

    for (int more = MOST - 5; more <= MOST + 5; more++) {
        char json[9000], head[64] = "", *at = json;
        int len = 7 + 2 * more;
        struct answer a;

        if (_i == 2)
            sprintf(head, "22%02x%02x 0a016b 12021001", (len & 0x7F) | 0x80,
                    (unsigned)len >> 7);
        at += sprintf(at, "{" MODEL ", %s",
                      _i == 0 ? ""
                              : "'inputs': [" DATA "'INT8', 'shape': [2, 2], ");
        at += sprintf(at, "'more': '%s", head);
        for (int i = 0; i < more; i++)
            at += sprintf(at, "7800");
        sprintf(at, "%s, " TWO_LENS "], 'raw_input_contents': ['01020304']}",
                _i == 0   ? "', 'inputs': [" RAW_DATA
                : _i == 1 ? "'}"
                          : "', 'parameters': {'shared_memory_offset': 1}}");
        a = ask_message(json, (struct ask){0});
        ck_assert_int_eq(a.status, more <= MOST && _i < 2 ? 200 : 400);
        if (a.status == 400)
            ck_assert_msg(strstr(a.body, more <= MOST
                                             ? "shared_memory_offset without"
                                             : "has more than 2000 fields"),
                          "%d: %s", more, a.body);
        answer_free(&a);
    }
}

/* Where the reply's tensor lies: in the message, if it came as it is there. */
static const struct {
    const char *json;
    bool in_place;
} places[] = {
    {SEND_RAW("", RAW_DATA), true},
    {TYPED("FP32", "fp32_contents", "1, 2, 3, 4"), true},
    {TYPED("FP64", "fp64_contents", "1, 2, 3, 4"), true},
    {TYPED("INT32", "int_contents", "1, 2, 3, 4"), false},
    {COLUMN("FP32", "'raw': '3204 0000803f 3204 00000040'"), false},
};

/* New memory is not zero here, so that a field without a value shows. */
LOOP_TEST(a_tensor_moves_where_it_is, COUNT(places))
{
    struct message m = message_of(places[_i].json, false);
    struct api_head head = {.body = NULL};
    const struct api_request request = {.method = "POST",
                                        .path = "/v2/models/-/infer",
                                        .is_protobuf = true,
                                        .body = m.data,
                                        .body_len = m.len,
                                        .head = &head};
    struct api_reply reply = {0};
    const unsigned char *last;

    mallopt(M_PERTURB, 0x5A);
    api_answer(&request, &reply);
    mallopt(M_PERTURB, 0);
    ck_assert_int_eq(reply.status, 200);
    last = reply.pieces[reply.piece_count - 1].data;
    ck_assert_int_eq(last >= m.data && last < m.data + m.len,
                     places[_i].in_place);
    api_reply_free(&reply);
    message_free(&m);
}

/* Their elements are no fields of the message, however many there are. */
LOOP_TEST(contents_of_many_elements_are_converted, 2)
{
    enum { ELEMENTS = 2001 };
    char json[9000], *at = json, *text;
    struct answer a;

    at += sprintf(at, "{" MODEL ", 'inputs': [" DATA "'INT32', 'shape': "
                      "[2001, 1], 'contents': {'int_contents': [7");
    for (int i = 1; i < ELEMENTS; i++)
        at += sprintf(at, ", -1");
    strcpy(at, "]}}, {'name': 'sequence_lens', 'datatype': 'INT64', 'shape': "
               "[1]}], 'raw_input_contents': ['0200000000000000']}");
    a = ask_message(json, (struct ask){.unpacked = _i == 1});
    ck_assert_msg(a.status == 200, "%s", a.body);
    text = message_text((unsigned char *)a.body, a.len);
    at = strstr(text, " 'INT32' 2001 1  ffffffff07000000");
    ck_assert_ptr_nonnull(at);
    at = strstr(at, "07000000") + 8;
    ck_assert_uint_eq(strlen(at), 8 * (ELEMENTS - 2));
    ck_assert_uint_eq(strspn(at, "f"), 8 * (ELEMENTS - 2));
    free(text);
    answer_free(&a);
}
