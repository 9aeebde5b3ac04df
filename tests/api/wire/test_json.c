/* JSON's replies to the byte, bodies with hardly a byte, and documents of every
 * format that need memory. */
#include "tests/api/documents.h"
#include "tests/api/message.h"
#include "tests/unit.h"

#define NAMES(model, version)                                                  \
    "{'model_name':'" model "','model_version':'" version "',"
#define OUTPUT(rest)                                                           \
    "'outputs':[{'name':'Y','datatype':'FP32','shape':[2,2]," rest "}]}"
/* Of the example: time axis 0, batch axis 1, lengths 2 and 1. */
#define CONTEXT "'backward_context':'AQEAAgICARyZ5gjOGx7g'"
#define BINARY "'binary_data_output':true"

static const struct {
    const char *model, *json, *reply;
    size_t len; /* of bytes behind it */
} rows[] = {
    {ONNX, DOCUMENT(""), NAMES(ONNX, "10") OUTPUT("'data':[3,2,1,4]"), 0},
    {ONNX, DOCUMENT("'id':'a\\u0062\\n',"),
     NAMES(ONNX, "10") "'id':'ab\\n'," OUTPUT("'data':[3,2,1,4]"), 0},
    {GRAIPHIC, PARAMETERS("'name':'n'"),
     NAMES(GRAIPHIC, "1") "'parameters':{'name':'n'," CONTEXT
                          "}," OUTPUT("'data':[3,2,1,4]"),
     0},
    {ONNX, PARAMETERS(BINARY),
     NAMES(ONNX, "10") OUTPUT("'parameters':{'binary_data_size':16}"), 16},
    {ONNX,
     "{'parameters':{" BINARY
     "},'inputs':[" INPUT("input", "FP32", "[0,2]", "[]") "," INPUT(
         "sequence_lens", "INT64", "[2]", "[0,0]") "]}",
     NAMES(ONNX, "10") "'outputs':[{'name':'Y','datatype':'FP32','shape':[0,2],"
                       "'parameters':{'binary_data_size':0}}]}",
     0},
    {ONNX, ASK_OUT(DATA, LENS, OUT(PLACE("r", "0", "16"))),
     NAMES(ONNX, "10") "'outputs':[{'name':'Y','datatype':'FP32','shape':[2,2]"
                       "}]}",
     0},
};

/* 1 to 4 as floats, of which the first column is reversed. */
static const unsigned char result[] = {0, 0, 0x40, 0x40, 0, 0, 0,    0x40,
                                       0, 0, 0x80, 0x3F, 0, 0, 0x80, 0x40};

LOOP_TEST(reply_is_written_to_the_byte, COUNT(rows))
{
    unsigned char memory[16] = {0};
    struct ask_region regions[] = {{"r", memory, sizeof(memory), NULL, NULL},
                                   {NULL, NULL, 0, NULL, NULL}};
    struct answer a = ask_infer(rows[_i].model, rows[_i].json,
                                (struct ask){.regions = regions});
    char reply[512];
    size_t len;

    snprintf(reply, sizeof(reply), "%s", rows[_i].reply);
    ask_quote(reply);
    len = strlen(reply);
    ck_assert_msg(a.status == 200 && a.len == len + rows[_i].len &&
                      memcmp(a.body, reply, len) == 0,
                  "%s", a.body);
    ck_assert_int_eq(memcmp(a.body + len, result, rows[_i].len), 0);
    ck_assert_uint_eq(a.json_len, rows[_i].len > 0 ? len : 0);
    ck_assert_str_eq(a.content_type, rows[_i].len > 0
                                         ? "application/octet-stream"
                                         : "application/json");
    if (strstr(rows[_i].json, "shared_memory"))
        ck_assert_int_eq(memcmp(memory, result, sizeof(result)), 0);
    answer_free(&a);
}

/* An empty body is NULL. */
UNIT_TEST(body_of_a_byte_or_none_is_refused)
{
    assert_answer_refused(ask_json(ONNX, ""), 400, "body is empty", NULL);
    assert_answer_refused(ask_json(ONNX, "{"), 400, "at byte 1", NULL);
    assert_answer_refused(ask_json(ONNX, "7"), 400, "a number", NULL);
    assert_answer_refused(ask_header(ONNX, "9", "7", NULL, 0), 400,
                          "is 9, but the body has 1 bytes", NULL);
}

/* A text of 70,000 letters takes memory past API_HEAP_FREE, which is refused:
 * also to a second reading, that would find the end of the document. */
static const struct {
    const char *form, *header;
    bool is_protobuf;
    int status;
} hungry[] = {
    {DOCUMENT("'id':'%s',"), NULL, false, 503},
    {DOCUMENT("'id':'%s',"), "1", false, 400},
    {"{'model_name':'" ONNX "','parameters':{'own':'%s'},'inputs':[]}", NULL,
     true, 503},
};

static bool take_little(void *context, size_t bytes)
{
    (void)context;
    return bytes < API_HEAP_FREE;
}

static const struct api_heap little = {take_little, NULL};

LOOP_TEST(memory_past_64_kib_is_asked_for, COUNT(hungry))
{
    static char json[80000], text[70001];
    struct api_head head = {.body = NULL};
    struct api_request request = {.method = "POST",
                                  .path = "/v2/models/" ONNX "/infer",
                                  .inference_header = hungry[_i].header,
                                  .heap = &little,
                                  .is_protobuf = hungry[_i].is_protobuf,
                                  .head = &head};
    struct message m;
    struct api_plan plan;
    struct api_reply reply = {0};
    const char *place = strchr(hungry[_i].form, '%');

    memset(text, 'x', sizeof(text) - 1);
    snprintf(json, sizeof(json), "%.*s%s%s", (int)(place - hungry[_i].form),
             hungry[_i].form, text, place + 2);
    if (hungry[_i].is_protobuf) {
        m = message_of(json, false);
    } else {
        ask_quote(json);
        m = (struct message){(unsigned char *)strdup(json), strlen(json)};
    }
    request.body = m.data;
    request.body_len = m.len;
    ck_assert(!api_prepare(&request, &plan, &reply));
    ck_assert_msg(reply.status == hungry[_i].status, "%s", reply.error);
    ck_assert_ptr_null(strstr(reply.error, "the JSON document has"));
    api_reply_free(&reply);
    message_free(&m);
}
