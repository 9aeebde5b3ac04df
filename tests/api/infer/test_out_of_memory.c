/* Each allocation of each kind of request fails once: the answer is 503 or the
 * right one, and all memory is freed. */
#include "tests/api/answer.h"
#include "tests/api/documents.h"
#include "tests/api/heap.h"
#include "tests/unit.h"

#define WORDS INPUT("input", "BYTES", "[2,2]", "['a','\\u00e9','',null]")
#define STRINGS INPUT("input", "BYTES", "[2,2]", "['a','\\u00e9','','dd']")

static const struct question {
    const char *method, *path, *json;
    const char *tail; /* bytes, with a header; NULL: none */
    size_t tail_len;
} questions[] = {
    {"GET", "/v2", "", NULL, 0},
    {"GET", "/v2/health/ready", "", NULL, 0},
    {"GET", "/v2/models", "", NULL, 0},
    {"GET", "/v2/models/graiphic.ReverseSequence", "", NULL, 0},
    {"GET", "/v2/models/openvino.Reverse/ready", "", NULL, 0},
    {"GET", "/v2/nothing", "", NULL, 0},
    {"PUT", "/v2/models", "", NULL, 0},
    {"GET", "/v2/models/nothing", "", NULL, 0},
    {"GET", "/v2/models/openvino.Reverse/versions/9", "", NULL, 0},
    {"POST", "/v2/models/onnx.ReverseSequence/infer", DOCUMENT(""), NULL, 0},
    {"POST", "/v2/models/onnx.ReverseSequence/infer",
     DOCUMENT("'parameters':{'binary_data_output':true},'id':'7',"), NULL, 0},
    {"POST", "/v2/models/onnx.ReverseSequence/infer",
     DOCUMENT("'outputs':[{'name':'Y','x':[{},[],'',1.5]}],'id':'\\u00e9',"),
     NULL, 0},
    {"POST", "/v2/models/onnx.ReverseSequence/infer",
     "{'inputs':[" BYTES_INPUT("input", "FP32", "[2,2]", "16") "," LENS "]}",
     "0123456789abcdef", 16},
    {"POST", "/v2/models/onnx.ReverseSequence/infer",
     "{'parameters':{'binary_data_output':true},'inputs':[" BYTES_INPUT(
         "input", "FP32", "[2,2]", "16") "," LENS "]}",
     "0123456789abcdef", 16},
    {"POST", "/v2/models/onnx.ReverseSequence/infer",
     "{'inputs':[" STRINGS "," LENS "]}", NULL, 0},
    {"POST", "/v2/models/onnx.ReverseSequence/infer",
     "{'parameters':{'binary_data_output':true},'inputs':[" STRINGS "," LENS
     "]}",
     NULL, 0},
    {"POST", "/v2/models/onnx.ReverseSequence/infer",
     "{'inputs':[" BYTES_INPUT("input", "BYTES", "[2,2]", "17") "," LENS "]}",
     "\1\0\0\0a\0\0\0\0\0\0\0\0\0\0\0\0", 17},
    {"POST", "/v2/models/graiphic.ReverseSequence/infer",
     DOCUMENT("'parameters':{'name':'n'},"), NULL, 0},
    {"POST", "/v2/models/graiphic.ReverseSequenceGrad/infer",
     "{'parameters':{'backward_context':'AQEAAgICARyZ5gjOGx7g','lda_coeff':"
     "2},'inputs':[" INPUT("dY", "FP32", "[2,2]", "[1,2,3,4]") "]}",
     NULL, 0},
    {"POST", "/v2/models/openvino.Reverse/infer",
     "{'parameters':{'mode':'mask'},'inputs':[" INPUT(
         "data", "COMPLEX64", "[2]",
         "[[1,2],[3,4]]") "," INPUT("axis", "BOOL", "[1]", "[true]") "]}",
     NULL, 0},
    /* Refused at every stage. */
    {"POST", "/v2/models/onnx.ReverseSequence/infer", "{'a':1,'a':2}", NULL, 0},
    {"POST", "/v2/models/onnx.ReverseSequence/infer", "{'a':tru}", NULL, 0},
    {"POST", "/v2/models/onnx.ReverseSequence/infer", "{'a'", NULL, 0},
    {"POST", "/v2/models/onnx.ReverseSequence/infer",
     DOCUMENT("'parameters':{'x':1},"), NULL, 0},
    {"POST", "/v2/models/onnx.ReverseSequence/infer",
     DOCUMENT("'parameters':{'time_axis':1},"), NULL, 0},
    {"POST", "/v2/models/onnx.ReverseSequence/infer",
     "{'inputs':[" WORDS "," LENS "]}", NULL, 0},
    {"POST", "/v2/models/onnx.ReverseSequence/infer",
     "{'inputs':[" DATA
     "," INPUT("sequence_lens", "INT64", "[2]", "[2,9]") "]}",
     NULL, 0},
    {"POST", "/v2/models/graiphic.ReverseSequenceGrad/infer",
     "{'parameters':{'backward_context':'AQEAAgICARyZ5gjOGx7A'},'inputs':"
     "[" INPUT("dY", "FP32", "[2,2]", "[1,2,3,4]") "]}",
     NULL, 0},
};

struct outcome {
    int status;
    size_t len;
    char body[2000];
};

static unsigned char *body_of(const struct question *q)
{
    size_t len = strlen(q->json);
    unsigned char *body = malloc(len + q->tail_len + 1);

    for (size_t i = 0; i < len; i++)
        body[i] = q->json[i] == '\'' ? '"' : (unsigned char)q->json[i];
    if (q->tail_len > 0)
        memcpy(body + len, q->tail, q->tail_len);
    return body;
}

static void keep(const struct api_reply *reply, struct outcome *out)
{
    out->status = reply->status;
    out->len = 0;
    for (int i = 0; i < reply->piece_count; i++) {
        ck_assert_uint_le(out->len + reply->pieces[i].len, sizeof(out->body));
        memcpy(out->body + out->len, reply->pieces[i].data,
               reply->pieces[i].len);
        out->len += reply->pieces[i].len;
    }
}

/* Asks with the allocation number `fail_at` failing. */
static void ask_failing(const struct question *q, long fail_at,
                        struct outcome *out)
{
    struct api_request request = {
        .method = q->method, .path = q->path, .ready = true};
    struct api_reply reply = {0};
    char header[32];

    snprintf(header, sizeof(header), "%zu", strlen(q->json));
    request.inference_header = q->tail ? header : NULL;
    request.body = body_of(q);
    request.body_len = strlen(q->json) + q->tail_len;
    heap_on(fail_at);
    api_answer(&request, &reply);
    heap_off();
    keep(&reply, out);
    heap.on = true;
    api_reply_free(&reply);
    heap_off();
    ck_assert_uint_eq(heap.live, 0);
    free(request.body);
}

LOOP_TEST(every_allocation_may_fail_once, COUNT(questions))
{
    struct outcome right, got;
    long calls;

    ask_failing(&questions[_i], -1, &right);
    calls = heap.calls;
    ck_assert_int_gt(calls, 0);
    for (long n = 0; n < calls; n++) {
        ask_failing(&questions[_i], n, &got);
        if (got.status == 503) {
            ck_assert_uint_gt(got.len, 10);
            ck_assert_int_eq(memcmp(got.body, "{\"error\":\"", 10), 0);
            continue;
        }
        ck_assert_msg(got.status == right.status && got.len == right.len &&
                          memcmp(got.body, right.body, got.len) == 0,
                      "allocation %ld of %ld: %d %.*s", n, calls, got.status,
                      (int)got.len, got.body);
    }
}
