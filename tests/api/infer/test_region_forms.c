/* Tensors in shared memory: what is special about some (coefficients, the
 * backward context, padding bits, room to spare, nothing at all), and places
 * that do not work. */
#include "tests/api/documents.h"
#include "tests/unit.h"

enum { REGION_SIZE = 64 };

static unsigned char
    region_memory[REGION_SIZE]; /* region "r"; "lost" is lost */

static struct ask_region regions[] = {
    {.name = "r", .data = region_memory, .size = REGION_SIZE},
    {.name = "lost", .size = REGION_SIZE},
    {.name = NULL}};

static struct answer ask_with(const char *model, const char *json,
                              const void *tail, size_t len,
                              struct ask_region *list)
{
    char header[24];

    snprintf(header, sizeof(header), "%zu", strlen(json));
    return ask_infer(
        model, json,
        (struct ask){
            .header = header, .tail = tail, .tail_len = len, .regions = list});
}

static struct answer region_ask(const char *model, const char *json,
                                const void *tail, size_t len)
{
    return ask_with(model, json, tail, len, regions);
}

static struct answer region_ask_json(const char *model, const char *json)
{
    return ask_with(model, json, NULL, 0, regions);
}

static struct answer region_ask_off(const char *model, const char *json)
{
    return ask_with(model, json, NULL, 0, NULL);
}

static struct answer region_get(const char *path)
{
    return ask(
        &(struct ask){.method = "GET", .path = path, .regions = regions});
}

LOOP_TEST(region_is_scaled_while_it_moves, 8)
{
    static const char *const inputs[] = {
        AT("dY", "FP32", "[2,2]", PLACE("r", "0", "16")),
        INPUT("dY", "FP32", "[2,2]", "[1,2,3,4]"),
    };
    static const int places[] = {0, 4, 16, 48};
    const float from[] = {1, 2, 3, 4}, to[] = {6, 4, 2, 8};
    char json[512];
    struct answer a;

    memcpy(region_memory, from, sizeof(from));
    snprintf(json, sizeof(json),
             "{'parameters':{'lda_coeff':2},'inputs':[%s," LENS
             "],'outputs':[{'name':'dX'," PLACE("r", "%d", "16") "}]}",
             inputs[_i / 4], places[_i % 4]);
    a = region_ask_json(GRAD, json);
    ck_assert_msg(a.status == 200, "%s", a.body);
    ck_assert_int_eq(memcmp(region_memory + places[_i % 4], to, sizeof(to)), 0);
    answer_free(&a);
}

UNIT_TEST(region_is_scaled_into_json_and_bytes)
{
    static const char json[] =
        "{'parameters':{'lda_coeff':2,'binary_data_output':%s},'inputs':[" AT(
            "dY", "FP32", "[2,2]", PLACE("r", "8", "16")) "," LENS "]}";
    const float from[] = {1, 2, 3, 4}, to[] = {6, 4, 2, 8};
    char text[512];

    memcpy(region_memory + 8, from, sizeof(from));
    snprintf(text, sizeof(text), json, "false");
    assert_answer_data(region_ask_json(GRAD, text), "[6,4,2,8]");
    snprintf(text, sizeof(text), json, "true");
    assert_answer_bytes(region_ask_json(GRAD, text), to, sizeof(to));
    ck_assert_int_eq(memcmp(region_memory + 8, from, sizeof(from)), 0);
}

/* Forward from a region with the lengths in another part of it; backward with
 * the context that came, back over the result. */
UNIT_TEST(region_is_restored_with_a_context)
{
    static const char forward[] = "{'inputs':[" AT(
        "input", "FP32", "[2,2]",
        PLACE("r", "0", "16")) "," AT("sequence_lens", "INT64", "[2]",
                                      PLACE("r", "16",
                                            "16")) "]," OUT(PLACE("r", "32",
                                                                  "16")) "}";
    static const char backward[] =
        "{'parameters':{'backward_context':'%s'},'inputs':[" AT(
            "dY", "FP32", "[2,2]",
            PLACE("r", "32", "16")) "],"
                                    "'outputs':[{'name':'dX'," PLACE(
                                        "r", "32", "16") "}]}";
    const float from[] = {1, 2, 3, 4}, moved[] = {3, 2, 1, 4};
    const int64_t lens[] = {2, 1};
    char context[128], json[512];
    const char *start;
    struct answer a;

    memcpy(region_memory, from, 16);
    memcpy(region_memory + 16, lens, 16);
    a = region_ask_json(GRAIPHIC, forward);
    ck_assert_msg(a.status == 200, "%s", a.body);
    ck_assert_int_eq(memcmp(region_memory + 32, moved, 16), 0);
    start = strstr(a.body, "\"backward_context\":\"");
    ck_assert_ptr_nonnull(start);
    start += strlen("\"backward_context\":\"");
    snprintf(context, sizeof(context), "%.*s", (int)strcspn(start, "\""),
             start);
    answer_free(&a);
    snprintf(json, sizeof(json), backward, context);
    a = region_ask_json(GRAD, json);
    ck_assert_msg(a.status == 200, "%s", a.body);
    ck_assert_int_eq(memcmp(region_memory + 32, from, 16), 0);
    answer_free(&a);
}

/* Five 4-bit elements: the last byte's high half is no element. */
LOOP_TEST(region_gets_padding_of_zeros, 4)
{
    static const char json[] = "{'inputs':[" AT(
        "input", "UINT4", "[5,1]",
        PLACE("r", "0", "3")) "," INPUT("sequence_lens", "INT64", "[1]",
                                        "[5]") "]," OUT(PLACE("r", "%d",
                                                              "3")) "}";
    static const int places[] = {0, 1, 2, 40};
    const unsigned char from[] = {0x21, 0x43, 0xF5}, to[] = {0x45, 0x23, 0x01};
    char text[512];
    struct answer a;

    memset(region_memory, 0xEE, sizeof(region_memory));
    memcpy(region_memory, from, 3);
    snprintf(text, sizeof(text), json, places[_i]);
    a = region_ask_json(ONNX, text);
    ck_assert_msg(a.status == 200, "%s", a.body);
    ck_assert_int_eq(memcmp(region_memory + places[_i], to, 3), 0);
    ck_assert_uint_eq(region_memory[places[_i] == 40 ? 43 : 5], 0xEE);
    answer_free(&a);
}

UNIT_TEST(region_may_be_larger_than_the_answer)
{
    static const char json[] = ASK_OUT(DATA, LENS, OUT(PLACE("r", "4", "60")));
    const float moved[] = {3, 2, 1, 4};
    struct answer a;

    memset(region_memory, 0xEE, sizeof(region_memory));
    a = region_ask_json(ONNX, json);
    ck_assert_int_eq(a.status, 200);
    ck_assert_int_eq(memcmp(region_memory + 4, moved, 16), 0);
    ck_assert_uint_eq(region_memory[3], 0xEE);
    ck_assert_uint_eq(region_memory[20], 0xEE);
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
    struct answer a = region_ask_json(ONNX, documents[_i]);

    ck_assert_msg(a.status == 200, "%s", a.body);
    answer_free(&a);
}

/* Bytes behind the document belong to the inputs that declare them, in any
 * mixture. */
UNIT_TEST(region_may_accompany_bytes)
{
    static const char json[] =
        ASK_OUT(BYTES_INPUT("input", "FP32", "[2,2]", "16"),
                AT("sequence_lens", "INT64", "[2]", PLACE("r", "0", "16")),
                OUT("'parameters':{'binary_data':true}"));
    const float from[] = {1, 2, 3, 4}, moved[] = {3, 2, 1, 4};
    const int64_t lens[] = {2, 1};

    memcpy(region_memory, lens, 16);
    assert_answer_bytes(region_ask(ONNX, json, from, 16), moved, 16);
    assert_answer_refused(region_ask(ONNX, json, from, 15), 400,
                          "declares 16 bytes", NULL);
}

static const char *const refusals[][2] = {
    /* lost, off the end */
    {ASK(AT("input", "FP32", "[2,2]", PLACE("lost", "0", "16")), LENS),
     "'input' is in the shared memory region 'lost', which was cut short: "
     "register it again"},
    {ASK(AT("input", "FP32", "[2,2]", PLACE("r", "49", "16")), LENS),
     "'input' is in bytes 49 to 65 of the shared memory region 'r', which has "
     "64"},
    {ASK(AT("input", "FP32", "[2,2]", PLACE("r", "65", "16")), LENS),
     "bytes 65 to 81|which has 64"},
    {ASK_OUT(DATA, LENS, OUT(PLACE("r", "60", "16"))),
     "'Y' is in bytes 60 to 76 of the shared memory region 'r', which has 64"},
    {ASK(AT("input", "FP32", "[2,2]", PLACE("r", "9223372036854775807", "16")),
         LENS),
     "9223372036854775807|which has 64"},
    {ASK_OUT(DATA, LENS,
             OUT(PLACE("r", "9223372036854775807", "9223372036854775807"))),
     "18446744073709551614|which has 64"},
    {ASK(AT("input", "FP32", "[2,2]",
            PLACE("r", "18446744073709547520", "8192")),
         LENS),
     "shared_memory_offset is 18446744073709547520|2^63 - 1"},
    {ASK(DATA, AT("sequence_lens", "INT64", "[2]", PLACE("r", "56", "16"))),
     "'sequence_lens'|bytes 56 to 72"},
    /* sizes that do not fit the tensor */
    {ASK(AT("input", "FP32", "[2,2]", PLACE("r", "0", "0")), LENS),
     "declares 0 bytes|[2, 2]|takes 16"},
    {ASK(AT("input", "FP32", "[2,2]", PLACE("r", "0", "17")), LENS),
     "declares 17 bytes|takes 16"},
    {ASK_OUT(DATA, LENS, OUT(PLACE("r", "0", "15"))),
     "'Y' takes 16 bytes, but shared_memory_byte_size is 15"},
    {ASK_OUT(DATA, LENS, OUT(PLACE("r", "0", "0"))), "'Y' takes 16 bytes|is 0"},
    {ASK_OUT(INPUT("input", "BYTES", "[2,1]", "['ab','c']"),
             INPUT("sequence_lens", "INT64", "[1]", "[2]"),
             OUT(PLACE("r", "0", "10"))),
     "'Y' takes 11 bytes|is 10"},
    /* the document */
    {ASK(AT("input", "FP32", "[2,2]", PLACE("r", "-1", "16")), LENS),
     "inputs[0].parameters.shared_memory_offset is -1|0 or more"},
    {ASK(AT("input", "FP32", "[2,2]", PLACE("r", "0", "-16")), LENS),
     "inputs[0].parameters.shared_memory_byte_size is -16"},
    {ASK(AT("input", "FP32", "[2,2]", PLACE("r", "1.5", "16")), LENS),
     "shared_memory_offset is 1.5|integer"},
    {ASK(AT("input", "FP32", "[2,2]", PLACE("r", "0", "'16'")), LENS),
     "shared_memory_byte_size is a string|integer"},
    {ASK(AT("input", "FP32", "[2,2]", PLACE("", "0", "16")), LENS),
     "shared_memory_region must be a region's name"},
    {ASK(AT("input", "FP32", "[2,2]", PLACE("r\\u0000s", "0", "16")), LENS),
     "shared_memory_region must be a region's name"},
    {ASK(AT("input", "FP32", "[2,2]",
            "'parameters':{'shared_memory_region':7,"
            "'shared_memory_byte_size':16}"),
         LENS),
     "shared_memory_region must be a region's name"},
    {ASK(AT("input", "FP32", "[2,2]",
            "'parameters':{'shared_memory_region':'r'}"),
         LENS),
     "inputs[0]|without|shared_memory_byte_size"},
    {ASK(AT("input", "FP32", "[2,2]",
            "'data':[1,2,3,4],'parameters':{'shared_memory_offset':0}"),
         LENS),
     "shared_memory_offset without shared_memory_region"},
    {ASK_OUT(DATA, LENS, OUT("'parameters':{'shared_memory_byte_size':16}")),
     "outputs[0]|shared_memory_byte_size without shared_memory_region"},
    {ASK(AT("input", "FP32", "[2,2]",
            "'data':[1,2,3,4]," PLACE("r", "0", "16")),
         LENS),
     "inputs[0]|both data and|shared_memory_region"},
    {ASK(AT("input", "FP32", "[2,2]",
            "'parameters':{'shared_memory_region':'r','binary_data_size':16,"
            "'shared_memory_byte_size':16}"),
         LENS),
     "binary_data_size|shared_memory_region"},
    /* its bytes are checked as those of any other tensor */
    {ASK(DATA, AT("sequence_lens", "INT64", "[2]", PLACE("r", "0", "16"))),
     "sequence_lens[0] is 72340172838076673"},
    {ASK(AT("input", "BYTES", "[1,1]", PLACE("r", "0", "64")),
         INPUT("sequence_lens", "INT64", "[1]", "[1]")),
     "'input'|16843009"},
};

LOOP_TEST(region_refusals_name_tensor_region_and_sizes, COUNT(refusals))
{
    const struct refusal *r = &refusals[_i];

    memset(region_memory, 1, sizeof(region_memory));
    assert_answer_refused(region_ask_json(r->model, r->json), r->status,
                          r->parts, NULL);
    for (size_t i = 0; i < sizeof(region_memory); i++)
        ck_assert_uint_eq(region_memory[i], 1);
}

LOOP_TEST(region_is_not_there_when_shared_memory_is_off, 3)
{
    static const char *const documents[] = {
        ASK(AT("input", "FP32", "[2,2]", PLACE("r", "0", "16")), LENS),
        ASK(DATA, AT("sequence_lens", "INT64", "[2]", PLACE("r", "0", "16"))),
        ASK_OUT(DATA, LENS, OUT(PLACE("r", "0", "16"))),
    };

    assert_answer_refused(region_ask_off(ONNX, documents[_i]), 501,
                          "shared memory", "--allow-client-shm", NULL);
}

UNIT_TEST(server_lists_the_extension_when_it_is_on)
{
    struct answer a = ask_get("/v2");

    ck_assert_ptr_null(strstr(a.body, "shared_memory"));
    answer_free(&a);
    a = region_get("/v2");
    ck_assert_ptr_nonnull(strstr(a.body, "\"system_shared_memory\"]"));
    answer_free(&a);
}
