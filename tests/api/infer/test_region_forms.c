/* Tensors in shared memory: what is special about some (coefficients, the
 * backward context, padding bits, room to spare, nothing at all), and places
 * that do not work. */
#include "tests/api/documents.h"
#include "tests/unit.h"

enum { REGION_SIZE = 64 };

/* Region "r"; "lost" is lost. */
static unsigned char memory[REGION_SIZE];

static struct ask_region regions[] = {
    {.name = "r", .data = memory, .size = REGION_SIZE},
    {.name = "lost", .size = REGION_SIZE},
    {.name = NULL}};

static struct answer ask_region(const char *model, const char *json,
                                const void *tail, size_t len)
{
    char header[24];

    snprintf(header, sizeof(header), "%zu", strlen(json));
    return ask_infer(model, json,
                     (struct ask){.header = header,
                                  .tail = tail,
                                  .tail_len = len,
                                  .regions = regions});
}

/* The answer is 200, and so many bytes are in the region then. */
static struct answer ask_placed(const char *model, const char *json, int at,
                                const void *bytes, size_t len)
{
    struct answer a = ask_region(model, json, NULL, 0);

    ck_assert_msg(a.status == 200, "%s", a.body);
    ck_assert_int_eq(memcmp(memory + at, bytes, len), 0);
    return a;
}

/* The example with its data in a region, or with its result. */
#define FROM(name, offset, size)                                               \
    ASK(AT("input", "FP32", "[2,2]", PLACE(name, offset, size)), LENS)
#define TO(name, offset, size)                                                 \
    ASK_OUT(DATA, LENS, OUT(PLACE(name, offset, size)))
#define LENS_AT(offset)                                                        \
    AT("sequence_lens", "INT64", "[2]", PLACE("r", offset, "16"))

static const float four[] = {1, 2, 3, 4}, moved[] = {3, 2, 1, 4};
static const float doubled[] = {6, 4, 2, 8};
static const int64_t lens[] = {2, 1};

LOOP_TEST(region_is_scaled_while_it_moves, 8)
{
    static const char *const inputs[] = {
        AT("dY", "FP32", "[2,2]", PLACE("r", "0", "16")),
        INPUT("dY", "FP32", "[2,2]", "[1,2,3,4]"),
    };
    static const int places[] = {0, 4, 16, 48};
    char json[512];
    struct answer a;

    memcpy(memory, four, sizeof(four));
    snprintf(json, sizeof(json),
             "{'parameters':{'lda_coeff':2},'inputs':[%s," LENS
             "],'outputs':[{'name':'dX'," PLACE("r", "%d", "16") "}]}",
             inputs[_i / 4], places[_i % 4]);
    a = ask_placed(GRAD, json, places[_i % 4], doubled, sizeof(doubled));
    answer_free(&a);
}

UNIT_TEST(region_is_scaled_into_json_and_bytes)
{
    static const char json[] =
        "{'parameters':{'lda_coeff':2,'binary_data_output':%s},'inputs':[" AT(
            "dY", "FP32", "[2,2]", PLACE("r", "8", "16")) "," LENS "]}";
    char text[512];

    memcpy(memory + 8, four, sizeof(four));
    snprintf(text, sizeof(text), json, "false");
    assert_answer_data(ask_region(GRAD, text, NULL, 0), "[6,4,2,8]");
    snprintf(text, sizeof(text), json, "true");
    assert_answer_bytes(ask_region(GRAD, text, NULL, 0), doubled,
                        sizeof(doubled));
    ck_assert_int_eq(memcmp(memory + 8, four, sizeof(four)), 0);
}

/* Forward from a region with the lengths in another part of it; backward with
 * the context that came, back over the result. */
UNIT_TEST(region_is_restored_with_a_context)
{
    static const char forward[] =
        ASK_OUT(AT("input", "FP32", "[2,2]", PLACE("r", "0", "16")),
                LENS_AT("16"), OUT(PLACE("r", "32", "16")));
    static const char backward[] =
        "{'parameters':{'backward_context':'%s'},'inputs':[" AT(
            "dY", "FP32", "[2,2]",
            PLACE("r", "32",
                  "16")) "],'outputs':[{'name':'dX'," PLACE("r", "32",
                                                            "16") "}]}";
    char context[128], json[512];
    const char *start;
    struct answer a;

    memcpy(memory, four, 16);
    memcpy(memory + 16, lens, 16);
    a = ask_placed(GRAIPHIC, forward, 32, moved, 16);
    start = strstr(a.body, "\"backward_context\":\"");
    ck_assert_ptr_nonnull(start);
    start += strlen("\"backward_context\":\"");
    snprintf(context, sizeof(context), "%.*s", (int)strcspn(start, "\""),
             start);
    answer_free(&a);
    snprintf(json, sizeof(json), backward, context);
    a = ask_placed(GRAD, json, 32, four, 16);
    answer_free(&a);
}

/* Five 4-bit elements: the last byte's high half is no element. */
LOOP_TEST(region_gets_padding_of_zeros, 4)
{
    static const char json[] =
        ASK_OUT(AT("input", "UINT4", "[5,1]", PLACE("r", "0", "3")),
                INPUT("sequence_lens", "INT64", "[1]", "[5]"),
                OUT(PLACE("r", "%d", "3")));
    static const int places[] = {0, 1, 2, 40};
    const unsigned char from[] = {0x21, 0x43, 0xF5}, to[] = {0x45, 0x23, 0x01};
    char text[512];
    struct answer a;

    memset(memory, 0xEE, sizeof(memory));
    memcpy(memory, from, 3);
    snprintf(text, sizeof(text), json, places[_i]);
    a = ask_placed(ONNX, text, places[_i], to, 3);
    ck_assert_uint_eq(memory[places[_i] == 40 ? 43 : 5], 0xEE);
    answer_free(&a);
}

UNIT_TEST(region_may_be_larger_than_the_answer)
{
    struct answer a;

    memset(memory, 0xEE, sizeof(memory));
    a = ask_placed(ONNX, TO("r", "4", "60"), 4, moved, 16);
    ck_assert_uint_eq(memory[3], 0xEE);
    ck_assert_uint_eq(memory[20], 0xEE);
    answer_free(&a);
}

LOOP_TEST(region_may_hold_nothing, 2)
{
    static const char *const documents[] = {
        ASK_OUT(AT("input", "FP32", "[0,2]", PLACE("r", "64", "0")),
                INPUT("sequence_lens", "INT64", "[2]", "[0,0]"),
                OUT(PLACE("r", "64", "0"))),
        ASK_OUT(AT("input", "BYTES", "[2,0]", PLACE("r", "0", "0")),
                AT("sequence_lens", "INT64", "[0]", PLACE("r", "64", "0")),
                OUT(PLACE("r", "0", "0"))),
    };
    struct answer a = ask_placed(ONNX, documents[_i], 0, memory, 0);

    answer_free(&a);
}

/* Bytes behind the document belong to the inputs that declare them, in any
 * mixture. */
UNIT_TEST(region_may_accompany_bytes)
{
    static const char json[] =
        ASK_OUT(BYTES_INPUT("input", "FP32", "[2,2]", "16"), LENS_AT("0"),
                OUT("'parameters':{'binary_data':true}"));

    memcpy(memory, lens, 16);
    assert_answer_bytes(ask_region(ONNX, json, four, 16), moved, 16);
    assert_answer_refused(ask_region(ONNX, json, four, 15), 400,
                          "declares 16 bytes", NULL);
}

static const struct {
    const char *json, *parts;
    int status;
} refusals[] = {
    /* unknown, lost, off the end */
    {FROM("x", "0", "16"),
     "'input' is in the shared memory region 'x', which is not registered",
     404},
    {TO("x", "0", "16"),
     "'Y' is in the shared memory region 'x', which is not registered", 404},
    {FROM("lost", "0", "16"),
     "'input' is in the shared memory region 'lost', which was cut short: "
     "register it again",
     400},
    {FROM("r", "49", "16"),
     "'input' is in bytes 49 to 65 of the shared memory region 'r', which has "
     "64",
     400},
    {FROM("r", "65", "16"), "bytes 65 to 81|which has 64", 400},
    {TO("r", "60", "16"),
     "'Y' is in bytes 60 to 76 of the shared memory region 'r', which has 64",
     400},
    {FROM("r", "9223372036854775807", "16"), "9223372036854775807|which has 64",
     400},
    {TO("r", "9223372036854775807", "9223372036854775807"),
     "18446744073709551614|which has 64", 400},
    {FROM("r", "18446744073709547520", "8192"),
     "shared_memory_offset is 18446744073709547520|2^63 - 1", 400},
    {ASK(DATA, LENS_AT("56")), "'sequence_lens'|bytes 56 to 72", 400},
    /* sizes that do not fit the tensor */
    {FROM("r", "0", "0"), "declares 0 bytes|[2, 2]|takes 16", 400},
    {FROM("r", "0", "17"), "declares 17 bytes|takes 16", 400},
    {TO("r", "0", "15"),
     "'Y' takes 16 bytes, but shared_memory_byte_size is 15", 400},
    {TO("r", "0", "0"), "'Y' takes 16 bytes|is 0", 400},
    {ASK_OUT(INPUT("input", "BYTES", "[2,1]", "['ab','c']"),
             INPUT("sequence_lens", "INT64", "[1]", "[2]"),
             OUT(PLACE("r", "0", "10"))),
     "'Y' takes 11 bytes|is 10", 400},
    /* its bytes are checked as those of any other tensor */
    {ASK(DATA, LENS_AT("0")), "sequence_lens[0] is 72340172838076673", 400},
    {ASK(AT("input", "BYTES", "[1,1]", PLACE("r", "0", "64")),
         INPUT("sequence_lens", "INT64", "[1]", "[1]")),
     "'input'|16843009", 400},
};

LOOP_TEST(region_refusals_name_tensor_region_and_sizes, COUNT(refusals))
{
    memset(memory, 1, sizeof(memory));
    assert_answer_refused(ask_region(ONNX, refusals[_i].json, NULL, 0),
                          refusals[_i].status, refusals[_i].parts, NULL);
    for (size_t i = 0; i < sizeof(memory); i++)
        ck_assert_uint_eq(memory[i], 1);
}

LOOP_TEST(region_is_not_there_when_shared_memory_is_off, 3)
{
    static const char *const documents[][2] = {
        {FROM("r", "0", "16"), "'input'"},
        {ASK(DATA, LENS_AT("0")), "'sequence_lens'"},
        {TO("r", "0", "16"), "'Y'"},
    };

    assert_answer_refused(ask_binary(ONNX, documents[_i][0], NULL, 0), 501,
                          documents[_i][1],
                          " is in shared memory, which is not enabled",
                          "--allow-client-shm", NULL);
}

UNIT_TEST(server_lists_the_extension_when_it_is_on)
{
    struct answer a = ask_get("/v2");

    ck_assert_ptr_null(strstr(a.body, "shared_memory"));
    answer_free(&a);
    a = ask(&(struct ask){.method = "GET", .path = "/v2", .regions = regions});
    assert_answer_has(a, 200, "\"system_shared_memory\"]");
}
