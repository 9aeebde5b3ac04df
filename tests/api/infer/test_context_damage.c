/* Backward contexts that are damaged, or made up by somebody else. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tests/api/ask.h"
#include "tests/api/documents.h"
#include "tests/api/infer/context.h"
#include "tests/unit.h"

enum { TEXT_MAX = 4096 };

UNIT_TEST(context_that_is_damaged_anywhere_is_refused)
{
    char context[CONTEXT_MAX], damaged[TEXT_MAX];
    size_t len;

    context_of_example(context);
    len = strlen(context);
    for (size_t at = 0; at < len; at++) {
        for (int c = '#'; c < 0x7F; c++) {
            if (c == context[at] || c == '\\' || c == '\'')
                continue;
            strcpy(damaged, context);
            damaged[at] = (char)c;
            assert_answer_refused(ask_gradient(damaged), 400,
                                  "backward_context", "damaged", NULL);
        }
    }
}

UNIT_TEST(context_of_another_length_is_refused)
{
    char context[CONTEXT_MAX], damaged[TEXT_MAX];
    size_t len;

    context_of_example(context);
    len = strlen(context);
    for (size_t at = 0; at < len; at++) {
        snprintf(damaged, sizeof(damaged), "%.*s", (int)at, context);
        assert_answer_refused(ask_gradient(damaged), 400, "damaged", NULL);
        assert_answer_refused(ask_gradient(context + at + 1), 400, "damaged",
                              NULL);
        snprintf(damaged, sizeof(damaged), "%.*sA%s", (int)at, context,
                 context + at);
        assert_answer_refused(ask_gradient(damaged), 400, "damaged", NULL);
    }
    for (int more = 1; more < 9; more++) {
        snprintf(damaged, sizeof(damaged), "%s%.*s", context, more, "AAAAAAAA");
        assert_answer_refused(ask_gradient(damaged), 400, "damaged", NULL);
        snprintf(damaged, sizeof(damaged), "%s%.*s", context, more, "========");
        assert_answer_refused(ask_gradient(damaged), 400, "damaged", NULL);
    }
}

/* Writes `bytes` as a context with a right checksum. */
static void forge(const unsigned char *bytes, size_t len, char *text)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    unsigned char all[256];
    uint64_t hash = 0xcbf29ce484222325u;
    unsigned held = 0;
    int bits = 0;

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    memcpy(all, bytes, len);
    memcpy(all + len, &hash, 8);
    for (size_t i = 0; i < len + 8; i++) {
        held = held << 8 | all[i];
        for (bits += 8; bits >= 6; bits -= 6)
            *text++ = digits[held >> (bits - 6) & 63];
    }
    if (bits > 0)
        *text++ = digits[held << (6 - bits) & 63];
    *text = '\0';
}

#define BIG 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F

/* version, batch axis, time axis, batch, time, lengths */
static const struct {
    unsigned char bytes[64];
    size_t len;
    const char *parts;
} forged[] = {
    {{0}, 0, "damaged"},
    {{1}, 1, "damaged"},
    {{2, 1, 0, 2, 2, 2, 1}, 7, "damaged"},
    {{0, 1, 0, 2, 2, 2, 1}, 7, "damaged"},
    {{1, 1, 0, 2, 2, 2}, 6, "damaged"},
    {{1, 1, 0, 2, 2, 2, 1, 1}, 8, "damaged"},
    {{1, 1, 0, 2, 2, 2, 0x81}, 7, "damaged"},
    {{1, 1, 0, BIG, 2, 2, 1}, 15, "damaged"},
    {{1, 1, 0, 2, 2, 2, BIG, 0}, 16, "damaged"},
    {{1, 1, 0, 2, 2, 2, 0xFF, BIG}, 16, "damaged"},
    {{1, BIG, 0, 2, 2, 2, 1},
     15,
     "backward_context is for axis 9223372036854775807|rank 2"},
    {{1, 1, BIG, 2, 2, 2, 1},
     15,
     "backward_context is for axis 9223372036854775807|rank 2"},
    {{1, 2, 0, 2, 2, 2, 1}, 7, "is for axis 2|rank 2"},
    {{1, 1, 0, 3, 2, 2, 1, 1}, 8, "3 entries on axis 1|has 2"},
    {{1, 1, 0, 0, 2}, 5, "0 entries on axis 1|has 2"},
    {{1, 1, 0, 2, 5, 2, 1}, 7, "5 entries on axis 0|has 2"},
    {{1, 1, 0, 2, BIG, 2, 1}, 15, "9223372036854775807 entries|has 2"},
    {{1, 1, 1, 2, 2, 2, 1}, 7, "batch_axis and time_axis are both 1"},
    {{1, 1, 0, 2, 2, 2, 3}, 7, "sequence_lens[1] is 3|2 entries"},
    {{1, 1, 0, 2, 2, BIG, 1}, 15, "sequence_lens[0] is 922337203685"},
};

LOOP_TEST(context_that_is_forged_is_checked_like_any_input, COUNT(forged))
{
    char text[256];

    forge(forged[_i].bytes, forged[_i].len, text);
    assert_answer_refused(ask_gradient(text), 400, forged[_i].parts, NULL);
}

UNIT_TEST(context_that_is_well_formed_serves)
{
    static const unsigned char bytes[] = {1, 1, 0, 2, 2, 2, 1};
    static const unsigned char turned[] = {1, 0, 1, 2, 2, 2, 1};
    char text[256];

    forge(bytes, sizeof(bytes), text);
    assert_answer_data(ask_gradient(text), "[3,2,1,4]");
    forge(turned, sizeof(turned), text);
    assert_answer_data(ask_gradient(text), "[2,1,3,4]");
}

/* The last digit of 4n + 2 digits has four bits that belong to no byte, that of
 * 4n + 3 has two. */
static const struct {
    unsigned char bytes[9];
    size_t len;
    int spare;
} with_spare_bits[] = {
    {{1, 1, 0, 2, 2, 0x82, 0, 1}, 8, 4},
    {{1, 1, 0, 2, 2, 0x82, 0, 0x81, 0}, 9, 2},
};

LOOP_TEST(context_with_spare_bits_set_is_refused, COUNT(with_spare_bits))
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    char text[256];
    const char *digit;
    size_t last;

    forge(with_spare_bits[_i].bytes, with_spare_bits[_i].len, text);
    assert_answer_data(ask_gradient(text), "[3,2,1,4]");
    last = strlen(text) - 1;
    digit = strchr(digits, text[last]);
    for (int bits = 1; bits < 1 << with_spare_bits[_i].spare; bits++) {
        text[last] = digit[bits];
        assert_answer_refused(ask_gradient(text), 400, "damaged", NULL);
    }
}

/* A context of axes that only other operators may have. */
UNIT_TEST(context_with_an_axis_past_one_is_refused)
{
    static const unsigned char bytes[] = {1, 2, 0, 1, 2, 2};
    char text[256], json[TEXT_MAX];

    forge(bytes, sizeof(bytes), text);
    snprintf(json, sizeof(json),
             "{'parameters':{'backward_context':'%s'},'inputs':[" INPUT(
                 "dY", "FP32", "[2,1,1]", "[1,2]") "]}",
             text);
    assert_answer_refused(ask_json(GRAD, json), 400, "batch_axis is 2",
                          "0 or 1", NULL);
}

/* Lengths and sizes of each number of bytes; the tensor has no element. */
UNIT_TEST(context_keeps_the_largest_numbers)
{
    static const unsigned char bytes[] = {1,   1,    0, 5,    BIG,  BIG, 0,
                                          127, 0x80, 1, 0x80, 0x80, 1};
    char context[CONTEXT_MAX], wanted[256], json[TEXT_MAX];

    context_of_answer(
        ask_json(
            GRAIPHIC,
            "{'inputs':[" INPUT(
                "input", "FP32", "[9223372036854775807,5,0]",
                "[]") "," INPUT("sequence_lens", "INT64", "[5]",
                                "[9223372036854775807,0,127,128,16384]") "]}"),
        context);
    forge(bytes, sizeof(bytes), wanted);
    ck_assert_str_eq(context, wanted);
    snprintf(json, sizeof(json),
             "{'parameters':{'backward_context':'%s'},'inputs':[" INPUT(
                 "dY", "FP32", "[9223372036854775807,5,0]", "[]") "]}",
             context);
    assert_answer_data(ask_json(GRAD, json), "[]");
}
