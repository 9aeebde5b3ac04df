/* What is special about some tensors in shared memory: coefficients, the
 * backward context, padding bits, room to spare, nothing at all. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tests/api/documents.h"
#include "tests/api/infer/region_ask.h"
#include "tests/unit.h"

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
