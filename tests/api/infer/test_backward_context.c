/* The backward context: encoded and decoded, and used where it does not fit. */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tests/api/ask.h"
#include "tests/api/documents.h"
#include "tests/api/infer/context.h"
#include "tests/kernels/naive.h"
#include "tests/unit.h"

enum { TEXT_MAX = 4096 };

UNIT_TEST(context_of_the_forward_pass_serves_the_gradient)
{
    char context[CONTEXT_MAX];

    context_of_example(context);
    ck_assert_uint_eq(strspn(context, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "abcdefghijklmnopqrstuvwxyz0123456789-_"),
                      strlen(context));
    assert_answer_data(ask_gradient(context), "[3,2,1,4]");
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
    json_t *head;

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
    head = json_loadb(a.body, a.json_len ? a.json_len : a.len, 0, NULL);
    snprintf(context, sizeof(context), "%s",
             json_string_value(json_object_get(
                 json_object_get(head, "parameters"), "backward_context")));
    json_decref(head);
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
    const char *shape, *data;
    const char *parts[2];
} other[] = {
    {"[3,2]", "[1,2,3,4,5,6]", {"2 entries on axis 0", "has 3"}},
    {"[2,3]", "[1,2,3,4,5,6]", {"2 entries on axis 1", "has 3"}},
    {"[2]", "[1,2]", {"axis 1", "'dY' has rank 1"}},
    {"[]", "[1]", {"axis 1", "'dY' has rank 0"}},
    {"[2,0]", "[]", {"2 entries on axis 1", "has 0"}},
};

LOOP_TEST(context_of_another_shape_is_refused_with_both_sizes, COUNT(other))
{
    char context[CONTEXT_MAX], json[TEXT_MAX];

    context_of_example(context);
    snprintf(json, sizeof(json),
             "{'parameters':{'backward_context':'%s'},'inputs':[{'name':'dY',"
             "'datatype':'FP32','shape':%s,'data':%s}]}",
             context, other[_i].shape, other[_i].data);
    assert_answer_refused(ask_json(GRAD, json), 400, "backward_context is for",
                          other[_i].parts[0], other[_i].parts[1], NULL);
}

UNIT_TEST(context_beside_lengths_or_axes_is_refused)
{
    char context[CONTEXT_MAX], json[TEXT_MAX];

    context_of_example(context);
    snprintf(json, sizeof(json),
             "{'parameters':{'backward_context':'%s'},'inputs':[" INPUT(
                 "dY", "FP32", "[2,2]", "[1,2,3,4]") "," LENS "]}",
             context);
    assert_answer_refused(ask_json(GRAD, json), 400, "backward_context",
                          "'sequence_lens' are both given", NULL);
    for (int i = 0; i < 2; i++) {
        const char *axis = i ? "time_axis" : "batch_axis";

        snprintf(
            json, sizeof(json),
            "{'parameters':{'backward_context':'%s','%s':%d},'inputs':[" INPUT(
                "dY", "FP32", "[2,2]", "[1,2,3,4]") "]}",
            context, axis, 1 - i);
        assert_answer_refused(ask_json(GRAD, json), 400, "backward_context",
                              axis, "are both given", NULL);
    }
}
