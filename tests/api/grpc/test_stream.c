/* ModelInfer and ModelStreamInfer: what becomes of an inference's reply. */
#include "api/grpc.h"
#include "tests/api/answer.h"
#include "tests/api/message.h"
#include "tests/unit.h"

#define UNARY "/inference.GRPCInferenceService/ModelInfer"
#define STREAM "/inference.GRPCInferenceService/ModelStreamInfer"
#define BODY                                                                   \
    "'inputs': [{'name': 'input', 'datatype': 'INT8', 'shape': [2, 1]}, "      \
    "{'name': 'sequence_lens', 'datatype': 'INT64', 'shape': [1]}], "          \
    "'raw_input_contents': ['0102', '0200000000000000']"
#define GOOD "'model_name': 'onnx.ReverseSequence', " BODY
#define BAD "'model_name': 'no', " BODY

struct reply {
    enum api_grpc_code code;
    char text[320];
    char error[320]; /* for the log */
    unsigned char data[512];
    size_t len;
};

/* The body is kept until the end, for replies point into it. */
static struct reply ask_path(const char *path, const char *json)
{
    struct message m = message_of(json, false);
    struct api_request request = {.ready = true};
    struct reply out = {.text = "", .error = ""};
    struct api_grpc_status status;
    struct api_grpc_call call;
    struct api_reply reply;

    ck_assert(api_grpc_request(api_grpc_find(path), m.data, m.len, &call,
                               &request, &reply));
    ck_assert(request.is_protobuf);
    ck_assert_str_eq(request.method, "POST");
    ck_assert_str_eq(request.path, path);
    ck_assert_int_eq(reply.status, 0);
    api_answer(&request, &reply);
    api_grpc_reply(&call, &request, &reply, &status);
    out.code = status.code;
    strncpy(out.text, status.text, sizeof(out.text) - 1);
    strncpy(out.error, reply.error ? reply.error : "", sizeof(out.error) - 1);
    for (int i = 0; i < reply.piece_count; i++) {
        ck_assert_uint_gt(reply.pieces[i].len, 0);
        memcpy(out.data + out.len, reply.pieces[i].data, reply.pieces[i].len);
        out.len += reply.pieces[i].len;
    }
    api_reply_free(&reply);
    api_grpc_call_free(&call);
    message_free(&m);
    return out;
}

UNIT_TEST(an_error_is_a_status)
{
    struct reply r = ask_path(UNARY, "{" BAD "}");

    ck_assert_int_eq(r.code, API_GRPC_NOT_FOUND);
    ck_assert_str_eq(r.text, "Request for unknown model: 'no' is not found; "
                             "GET /v2/models lists them");
    ck_assert_uint_eq(r.len, 0);
}

UNIT_TEST(a_stream_has_the_same_response_in_a_message)
{
    struct reply unary = ask_path(UNARY, "{" GOOD ", 'id': 'x'}");
    struct reply stream = ask_path(STREAM, "{" GOOD ", 'id': 'x'}");

    ck_assert_int_eq(unary.code, API_GRPC_OK);
    ck_assert_int_eq(stream.code, API_GRPC_OK);
    ck_assert_uint_eq(stream.len, unary.len + 2);
    ck_assert_uint_eq(stream.data[0], 2 << 3 | 2);
    ck_assert_uint_eq(stream.data[1], unary.len);
    ck_assert_int_eq(memcmp(stream.data + 2, unary.data, unary.len), 0);
}

/* Messages, and the field of their ids, or "". */
static const char *const refused[][2] = {
    {"{" BAD ", 'id': 'x'}", "\x12\x03\x1A\x01\x78"},
    {"{" BAD "}", ""},
};

LOOP_TEST(a_stream_goes_on_behind_an_error, COUNT(refused))
{
    static const char text[] = "Request for unknown model";
    struct reply r = ask_path(STREAM, refused[_i][0]);
    size_t id = strlen(refused[_i][1]);

    ck_assert_int_eq(r.code, API_GRPC_OK);
    ck_assert_uint_eq(r.data[0], 1 << 3 | 2);
    ck_assert_uint_eq(r.data[1], r.len - 2 - id);
    ck_assert_int_eq(memcmp(r.data + 2, text, strlen(text)), 0);
    ck_assert_int_eq(memcmp(r.data + r.len - id, refused[_i][1], id), 0);
    ck_assert_str_eq(r.error, "Request for unknown model: 'no' is not found; "
                              "GET /v2/models lists them");
}

/* It is no malformed one, and has no id that could be told. */
UNIT_TEST(a_stream_goes_on_behind_too_many_fields)
{
    static char json[16 + 2001 * 6] = "{'unknown': '";
    char *at = json + strlen(json);
    struct reply r;

    for (int i = 0; i < 2001; i++)
        at = stpcpy(at, "f80701");
    strcpy(at, "'}");
    r = ask_path(STREAM, json);
    ck_assert_int_eq(r.code, API_GRPC_OK);
    ck_assert_uint_eq(r.data[0], 1 << 3 | 2);
    ck_assert_uint_eq(r.data[1], r.len - 2);
    ck_assert_ptr_nonnull(strstr(r.error, "more than 2000 fields"));
}

/* Nor is one whose model has no name that could be. */
UNIT_TEST(a_stream_goes_on_behind_a_name_with_a_nul)
{
    struct reply r = ask_path(STREAM, "{'unknown': '0a03610062'}");

    ck_assert_int_eq(r.code, API_GRPC_OK);
    ck_assert_str_eq(r.error, "model_name holds a NUL character");
}

static const struct {
    const char *json, *text;
} unreadable[] = {
    {"{'id': 'x', 'cut': '0a05'}", "malformed message at byte "},
    {"{'unknown': '0a0180'}", "model_name is not UTF-8"},
};

LOOP_TEST(a_stream_ends_where_a_message_cannot_be_read, COUNT(unreadable))
{
    const char *text = unreadable[_i].text;
    struct reply unary = ask_path(UNARY, unreadable[_i].json);
    struct reply stream = ask_path(STREAM, unreadable[_i].json);

    ck_assert_int_eq(unary.code, API_GRPC_INTERNAL);
    ck_assert_int_eq(stream.code, API_GRPC_INTERNAL);
    ck_assert_int_eq(strncmp(unary.text, text, strlen(text)), 0);
    ck_assert_int_eq(strncmp(stream.text, text, strlen(text)), 0);
}
