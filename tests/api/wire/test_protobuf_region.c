/* Tensors in shared memory, asked for by gRPC's messages. */
#include "tests/api/message.h"
#include "tests/unit.h"

#define MODEL "{'model_name': 'onnx.ReverseSequence', "
#define PLACE(offset, size)                                                    \
    "'parameters': {'shared_memory_region': 'r', "                             \
    "'shared_memory_offset': " offset ", 'shared_memory_byte_size': " size "}"
#define DATA "{'name': 'input', 'datatype': 'INT8', 'shape': [2, 2]"
#define LENS "{'name': 'sequence_lens', 'datatype': 'INT64', 'shape': [2]"
#define TYPED ", 'contents': {'int64_contents': [2, 1]}}"
#define KEY "0a0774696d656f7574" /* timeout */
#define RAW "'02000000000000000100000000000000'"
#define SEND(data, lens, rest) MODEL "'inputs': [" data ", " lens "]" rest "}"
#define OUT(place) ", 'outputs': [{'name': 'Y', " place "}]"
#define CONTENTS(list) ", 'raw_input_contents': [" list "]"
#define HEAD "model='onnx.ReverseSequence' version='10'  'Y' 'INT8' 2 2  "

#define UNCHANGED "\1\2\3\4\0\0\0\0"

/* The region's first four bytes are 1, 2, 3, 4; `memory` is what it has then.
 */
static const struct {
    const char *json, *text;
    const char *memory; /* 8 bytes */
} cases[] = {
    /* axes there too; NumPy's codec writes a list of one with two dims */
    {"{'model_name': 'openvino.Reverse', 'parameters': {'mode': 'index'}, "
     "'inputs': [{'name': 'data', 'datatype': 'INT8', 'shape': [2, 2], " PLACE(
         "0", "4") "}, {'name': 'axis', 'datatype': 'INT64', 'shape': [1, 1], "
                   "'parameters': {'content_type': 'np', "
                   "'shared_memory_region': 'axis', "
                   "'shared_memory_byte_size': 8}}]}",
     "model='openvino.Reverse' version='1'  'output' 'INT8' 2 2  02010403",
     UNCHANGED},
    {SEND(DATA ", " PLACE("0", "4") "}", LENS TYPED, ""), HEAD "03020104",
     UNCHANGED},
    {SEND(DATA ", " PLACE("1", "4") "}", LENS TYPED, ""), HEAD "04030200",
     UNCHANGED},
    {SEND(DATA ", " PLACE("0", "4") "}", LENS "}", CONTENTS(RAW)),
     HEAD "03020104", UNCHANGED},
    {SEND(DATA "}", LENS "}",
          OUT(PLACE("4", "4")) CONTENTS("'01020304', " RAW)),
     HEAD, "\1\2\3\4\3\2\1\4"},
    {SEND(DATA ", 'contents': {'int_contents': [1, 2, 3, 4]}}", LENS TYPED,
          OUT(PLACE("4", "4"))),
     HEAD, "\1\2\3\4\3\2\1\4"},
    {SEND(DATA ", " PLACE("0", "4") "}", LENS TYPED, OUT(PLACE("0", "4"))),
     HEAD, "\3\2\1\4\0\0\0\0"},
};

LOOP_TEST(a_tensor_may_be_in_shared_memory, COUNT(cases))
{
    unsigned char memory[8] = {1, 2, 3, 4}, axis[8] = {1};
    struct ask_region regions[] = {{"r", memory, sizeof(memory), NULL, NULL},
                                   {"axis", axis, sizeof(axis), NULL, NULL},
                                   {NULL, NULL, 0, NULL, NULL}};

    assert_message(
        ask_message(cases[_i].json, (struct ask){.regions = regions}),
        cases[_i].text);
    ck_assert_int_eq(memcmp(memory, cases[_i].memory, sizeof(memory)), 0);
}

LOOP_TEST(an_unknown_region_is_refused, COUNT(cases))
{
    struct answer a = ask_message(cases[_i].json, (struct ask){0});

    ck_assert_msg(a.status == 404 || a.status == 501, "%s", a.body);
    answer_free(&a);
}

static const char *const outside[][2] = {
    {SEND(DATA ", " PLACE("0", "3") "}", LENS TYPED, ""),
     "'input' declares 3 bytes, but INT8 of shape [2, 2] takes 4"},
    {SEND(DATA ", " PLACE("5", "4") "}", LENS TYPED, ""), "bytes 5 to 9"},
    {SEND(DATA "}", LENS TYPED, OUT(PLACE("4", "3")) CONTENTS("'01020304'")),
     "'Y' takes 4 bytes, but shared_memory_byte_size is 3"},
};

LOOP_TEST(a_tensor_fits_its_part_of_a_region, COUNT(outside))
{
    unsigned char memory[8] = {1, 2, 3, 4};
    struct ask_region regions[] = {{"r", memory, sizeof(memory), NULL, NULL},
                                   {NULL, NULL, 0, NULL, NULL}};

    assert_answer_has(
        ask_message(outside[_i][0], (struct ask){.regions = regions}), 400,
        outside[_i][1]);
}

static const struct {
    const char *json;
    bool shm;
    uint64_t timeout;
} skimmed[] = {
    {MODEL "'inputs': [" DATA "}]}", false, 0},
    {MODEL "'inputs': [" DATA ", " PLACE("0", "4") "}]}", true, 0},
    {MODEL "'outputs': [{" PLACE("0", "4") "}]}", true, 0},
    {MODEL "'inputs': [" DATA ", 'contents': {'bytes_contents': "
           "['shared_memory_region']}}]}",
     true, 0}, /* it may: the scan is quick */
    {MODEL "'parameters': {'timeout': 5}}", false, 5},
    {MODEL "'parameters': {'timeout': '17'}}", false, 17},
    {MODEL "'parameters': {'timeout': {'uint64': '6'}}}", false, 6},
    {MODEL "'parameters': {'timeout': {'uint64': '9223372036854775807'}}}",
     false, INT64_MAX},
    {MODEL "'parameters': {'timeout': {'uint64': '9223372036854775808'}}}",
     false, 0},
    {MODEL "'parameters': {'timeout': -5}}", false, 0},
    {MODEL "'parameters': {'timeout': 5.0}}", false, 5},
    {MODEL "'parameters': {'timeout': 5.5}}", false, 0},
    {MODEL "'parameters': {'timeout': true}}", false, 0},
    {MODEL "'parameters': {'timeout': 'x'}}", false, 0},
    {MODEL "'parameters': {'timeouts': 5}}", false, 0},
    {MODEL "'parameters': {'timeout': 5}, 'cut': '0a05'}", false, 5},
    {MODEL "'inputs': [" DATA "}], 'id': 'shared_memory_region'}", false, 0},
    {MODEL "'parameters': {'timeout': 1}}", false, 1},
    /* The last one counts, also one that will be refused. */
    {MODEL "'parameters': {'timeout': 5}, 'more': '220d " KEY "1202 1006'}",
     false, 6},
    {MODEL "'parameters': {'timeout': 5}, 'more': '220e " KEY "1203 1a0178'}",
     false, 0},
    {MODEL "'more': '221a " KEY "120f 1a023137 10fbffffffffffffffff01'}", false,
     0},
    {MODEL "'inputs': [" DATA ", 'parameters': {'shared_memory_regio': 'r'}}]}",
     false, 0},
};

LOOP_TEST(a_message_is_skimmed, COUNT(skimmed))
{
    struct message m = message_of(skimmed[_i].json, false);
    struct api_head head = {.body = NULL};
    struct api_request request = {
        .is_protobuf = true, .body = m.data, .body_len = m.len, .head = &head};

    ck_assert_uint_eq(api_timeout(&request), skimmed[_i].timeout);
    ck_assert_int_eq(api_may_use_shm(&request), skimmed[_i].shm);
    message_free(&m);
}

/* A message is read once, and another body anew. */
UNIT_TEST(a_message_is_read_once)
{
    struct message m = message_of(skimmed[4].json, false);
    struct message other = message_of(skimmed[5].json, false);
    struct api_head head = {.body = NULL};
    struct api_request request = {
        .is_protobuf = true, .body = m.data, .body_len = m.len, .head = &head};

    ck_assert_uint_eq(api_timeout(&request), 5);
    ck_assert_ptr_eq(head.body, m.data);
    memset(m.data, 0, m.len);
    ck_assert_uint_eq(api_timeout(&request), 5);
    request.body = other.data;
    request.body_len = other.len;
    ck_assert_uint_eq(api_timeout(&request), 17);
    message_free(&m);
    message_free(&other);
    /* An empty one may be NULL. */
    head = (struct api_head){.body = NULL, .timeout_us = 9};
    request.body = NULL;
    request.body_len = 0;
    ck_assert_uint_eq(api_timeout(&request), 0);
}

/* However many parameters there are, few fields of them are read: a loop does.
 * A timeout behind those is not seen before the message is decoded. */
UNIT_TEST(parameters_are_skimmed_together)
{
    static const unsigned char timeout[] = {
        0x22, 13, 0x0A, 7, 't', 'i', 'm', 'e', 'o', 'u', 't', 0x12, 2, 0x10, 5};
    enum { ENTRIES = 3, FIELDS = 800, START = 3 };
    static unsigned char body[ENTRIES * (START + 2 * FIELDS) + sizeof(timeout)];
    struct api_head head;
    struct api_request request = {
        .is_protobuf = true, .body = body, .head = &head};

    for (int entries = ENTRIES - 1; entries <= ENTRIES; entries++) {
        unsigned char *at = body;

        head.body = NULL;
        for (int i = 0; i < entries; i++, at += START + 2 * FIELDS) {
            at[0] = 0x22; /* parameters */
            at[1] = 0x80 | (2 * FIELDS & 0x7F);
            at[2] = 2 * FIELDS >> 7;
            for (int j = 0; j < FIELDS; j++)
                memcpy(at + START + 2 * j, "\x78", 2); /* field 15: 0 */
        }
        memcpy(at, timeout, sizeof(timeout));
        request.body_len = (size_t)(at - body) + sizeof(timeout);
        ck_assert_uint_eq(api_timeout(&request), entries < ENTRIES ? 5 : 0);
        ck_assert_ptr_eq(head.body, body);
        ck_assert_uint_eq(head.fields_left, 2000 - (size_t)entries - 1);
    }
}
