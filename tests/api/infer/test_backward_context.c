/* The backward context: encoded and decoded, used where it does not fit,
 * damaged, and made up by somebody else. */
#include <jansson.h>

#include "tests/api/documents.h"
#include "tests/kernels/naive.h"
#include "tests/unit.h"

enum { TEXT_MAX = 4096, CONTEXT_MAX = 1000 };

static const char digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* That of the running example (documents.h): infer/test_graiphic.c. */
#define CONTEXT "AQEAAgICARyZ5gjOGx7g"

/* A gradient with a context and nothing else. */
static struct answer ask_with(const char *context, const char *shape,
                              const char *data)
{
    return ask_jsonf(GRAD,
                     "{'parameters':{'backward_context':'%s'},'inputs':[" INPUT(
                         "dY", "FP32", "%s", "%s") "]}",
                     context, shape, data);
}

/* The gradient of [[1,2],[3,4]]. */
static struct answer ask_gradient(const char *context)
{
    return ask_with(context, "[2,2]", "[1,2,3,4]");
}

static void assert_damaged(const char *context)
{
    assert_answer_refused(ask_gradient(context), 400, "backward_context",
                          "damaged", NULL);
}

/* Writes the context in the answer of a forward pass. */
static void context_of(const struct answer *a, char *context)
{
    json_t *root =
        json_loadb(a->body, a->json_len ? a->json_len : a->len, 0, NULL);
    const char *text;

    ck_assert_int_eq(
        json_unpack(root, "{s:{s:s}}", "parameters", "backward_context", &text),
        0);
    snprintf(context, CONTEXT_MAX, "%s", text);
    json_decref(root);
}

/* Forward and backward of one random case, in bytes; the gradient by context is
 * the gradient by lengths and axes. */
static void check_case(uint64_t *state)
{
    int64_t dims[3], lens[64];
    unsigned char body[64 * 64 * 8 + 64 * 8];
    char json[TEXT_MAX], context[CONTEXT_MAX];
    int time = (int)naive_below(state, 2);
    size_t bytes, lens_bytes;
    struct answer a, b;

    dims[time] = (int64_t)naive_below(state, 64);
    dims[1 - time] = (int64_t)naive_below(state, 64);
    dims[2] = (int64_t)naive_below(state, 6) % 5;
    for (int64_t i = 0; i < dims[1 - time]; i++)
        lens[i] = (int64_t)naive_below(state, (uint64_t)dims[time] + 1);
    bytes = (size_t)(dims[0] * dims[1] * dims[2]) * 2;
    lens_bytes = (size_t)dims[1 - time] * 8;
    memcpy(body, lens, lens_bytes);
    naive_fill(state, body + lens_bytes, bytes);
    snprintf(json, sizeof(json),
             "{'parameters':{'time_axis':%d,'batch_axis':%d,"
             "'binary_data_output':true},'inputs':[{'name':'sequence_lens',"
             "'datatype':'INT64','shape':[%lld],'parameters':{"
             "'binary_data_size':%zu}},{'name':'input','datatype':'BF16',"
             "'shape':[%lld,%lld,%lld],'parameters':{'binary_data_size':%zu}}]"
             "}",
             time, 1 - time, (long long)dims[1 - time], lens_bytes,
             (long long)dims[0], (long long)dims[1], (long long)dims[2], bytes);
    a = ask_binary(GRAIPHIC, json, body, lens_bytes + bytes);
    ck_assert_msg(a.status == 200, "%s", a.body);
    context_of(&a, context);
    snprintf(json, sizeof(json),
             "{'parameters':{'backward_context':'%s','binary_data_output':true"
             "},'inputs':[{'name':'dY','datatype':'BF16','shape':"
             "[%lld,%lld,%lld],'parameters':{'binary_data_size':%zu}}]}",
             context, (long long)dims[0], (long long)dims[1],
             (long long)dims[2], bytes);
    /* The permutation undoes itself: the gradient of the answer is the input.
     */
    b = ask_binary(GRAD, json, a.body + (a.len - bytes), bytes);
    assert_answer_bytes(b, body + lens_bytes, bytes);
    answer_free(&a);
}

UNIT_TEST(context_undoes_the_forward_pass_for_any_shape)
{
    uint64_t state = 7;

    for (int i = 0; i < 300; i++)
        check_case(&state);
}

static const struct {
    const char *shape, *data, *parts;
} other[] = {
    {"[2,3]", "[1,2,3,4,5,6]", "2 entries on axis 1|has 3"},
    {"[]", "[1]", "axis 1|'dY' has rank 0"},
    {"[2,0]", "[]", "2 entries on axis 1|has 0"},
};

/* More refusals, with the whole text: infer/test_inputs.c. */
LOOP_TEST(context_of_another_shape_is_refused_with_both_sizes, COUNT(other))
{
    assert_answer_refused(ask_with(CONTEXT, other[_i].shape, other[_i].data),
                          400, "backward_context is for", other[_i].parts,
                          NULL);
}

UNIT_TEST(context_beside_an_axis_is_refused)
{
    assert_answer_refused(ask_gradient(CONTEXT "','batch_axis':'1"), 400,
                          "backward_context", "batch_axis", "are both given",
                          NULL);
}

UNIT_TEST(context_that_is_damaged_anywhere_is_refused)
{
    char damaged[] = CONTEXT;

    for (size_t at = 0; at < strlen(CONTEXT); at++) {
        for (int c = '#'; c < 0x7F; c++) {
            if (c == CONTEXT[at] || c == '\\' || c == '\'')
                continue;
            damaged[at] = (char)c;
            assert_damaged(damaged);
        }
        damaged[at] = CONTEXT[at];
    }
}

UNIT_TEST(context_of_another_length_is_refused)
{
    char damaged[2 * CONTEXT_MAX];

    for (size_t at = 0; at < strlen(CONTEXT); at++) {
        snprintf(damaged, sizeof(damaged), "%.*s", (int)at, CONTEXT);
        assert_damaged(damaged);
        assert_damaged(&CONTEXT[at + 1]);
        strcat(damaged, "A");
        assert_damaged(strcat(damaged, &CONTEXT[at]));
    }
    for (int more = 1; more < 9; more++) {
        snprintf(damaged, sizeof(damaged), "%s%.*s", CONTEXT, more, "AAAAAAAA");
        assert_damaged(damaged);
        snprintf(damaged, sizeof(damaged), "%s%.*s", CONTEXT, more, "========");
        assert_damaged(damaged);
    }
}

/* Writes `bytes` as a context with a right checksum. */
static void forge(const unsigned char *bytes, size_t len, char *text)
{
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
    char text[256];
    const char *digit;
    size_t last;

    forge(with_spare_bits[_i].bytes, with_spare_bits[_i].len, text);
    assert_answer_data(ask_gradient(text), "[3,2,1,4]");
    last = strlen(text) - 1;
    digit = strchr(digits, text[last]);
    for (int bits = 1; bits < 1 << with_spare_bits[_i].spare; bits++) {
        text[last] = digit[bits];
        assert_damaged(text);
    }
}

/* A context of axes that only other operators may have. */
UNIT_TEST(context_with_an_axis_past_one_is_refused)
{
    static const unsigned char bytes[] = {1, 2, 0, 1, 2, 2};
    char text[256];

    forge(bytes, sizeof(bytes), text);
    assert_answer_refused(ask_with(text, "[2,1,1]", "[1,2]"), 400,
                          "batch_axis is 2", "0 or 1", NULL);
}

/* Lengths and sizes of each number of bytes; the tensor has no element. */
UNIT_TEST(context_keeps_the_largest_numbers)
{
    static const unsigned char bytes[] = {1,   1,    0, 5,    BIG,  BIG, 0,
                                          127, 0x80, 1, 0x80, 0x80, 1};
    static const char shape[] = "[9223372036854775807,5,0]";
    char context[CONTEXT_MAX], wanted[256];
    struct answer a =
        ask_jsonf(GRAIPHIC,
                  ASK(INPUT("input", "FP32", "%s", "[]"),
                      INPUT("sequence_lens", "INT64", "[5]",
                            "[9223372036854775807,0,127,128,16384]")),
                  shape);

    context_of(&a, context);
    answer_free(&a);
    forge(bytes, sizeof(bytes), wanted);
    ck_assert_str_eq(context, wanted);
    assert_answer_data(ask_with(context, shape, "[]"), "[]");
}
