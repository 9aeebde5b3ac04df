/* Each allocation of each kind of request fails once: the answer is 503 or the
 * right one, and all memory is freed. */
#include "tests/api/answer.h"
#include "tests/api/documents.h"
#include "tests/api/heap.h"
#include "tests/unit.h"

#define WORDS INPUT("input", "BYTES", "[2,2]", "['a','\\u00e9','',null]")
#define STRINGS INPUT("input", "BYTES", "[2,2]", "['a','\\u00e9','','dd']")
#define FLOATS BYTES_INPUT("input", "FP32", "[2,2]", "16")
#define BINARY "'parameters':{'binary_data_output':true}"
/* With a context that ends so: g is right. */
#define GRADIENT(end)                                                          \
    "{'parameters':{'backward_context':'AQEAAgICARyZ5gjOGx7" end               \
    "},'inputs':[" INPUT("dY", "FP32", "[2,2]", "[1,2,3,4]") "]}"

#define INFER(model) "POST", "/v2/models/" model "/infer"

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
    {INFER(ONNX), DOCUMENT(""), NULL, 0},
    {INFER(ONNX), DOCUMENT(BINARY ",'id':'7',"), NULL, 0},
    {INFER(ONNX),
     DOCUMENT("'outputs':[{'name':'Y','x':[{},[],'',1.5]}],'id':'\\u00e9',"),
     NULL, 0},
    {INFER(ONNX), ASK(FLOATS, LENS), "0123456789abcdef", 16},
    {INFER(ONNX), "{" BINARY ",'inputs':[" FLOATS "," LENS "]}",
     "0123456789abcdef", 16},
    {INFER(ONNX), ASK(STRINGS, LENS), NULL, 0},
    {INFER(ONNX), "{" BINARY ",'inputs':[" STRINGS "," LENS "]}", NULL, 0},
    {INFER(ONNX), ASK(BYTES_INPUT("input", "BYTES", "[2,2]", "17"), LENS),
     "\1\0\0\0a\0\0\0\0\0\0\0\0\0\0\0\0", 17},
    {INFER(GRAIPHIC), DOCUMENT("'parameters':{'name':'n'},"), NULL, 0},
    {INFER(GRAD), GRADIENT("g','lda_coeff':2"), NULL, 0},
    {INFER(REVERSE),
     "{'parameters':{'mode':'mask'},'inputs':[" INPUT(
         "data", "COMPLEX64", "[2]",
         "[[1,2],[3,4]]") "," INPUT("axis", "BOOL", "[1]", "[true]") "]}",
     NULL, 0},
    /* Refused at every stage. */
    {INFER(ONNX), "{'a':1,'a':2}", NULL, 0},
    {INFER(ONNX), "{'a':tru}", NULL, 0},
    {INFER(ONNX), "{'a'", NULL, 0},
    {INFER(ONNX), DOCUMENT("'parameters':{'x':1},"), NULL, 0},
    {INFER(ONNX), DOCUMENT("'parameters':{'time_axis':1},"), NULL, 0},
    {INFER(ONNX), ASK(WORDS, LENS), NULL, 0},
    {INFER(ONNX), ASK(DATA, INPUT("sequence_lens", "INT64", "[2]", "[2,9]")),
     NULL, 0},
    {INFER(GRAD), GRADIENT("A'"), NULL, 0},
};

struct outcome {
    int status;
    size_t len;
    char *body; /* owned */
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
    out->status = reply.status;
    out->body = reply_join(&reply, &out->len);
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
        if (got.status == 503)
            ck_assert_int_eq(strncmp(got.body, "{\"error\":\"", 10), 0);
        else
            ck_assert_msg(got.status == right.status && got.len == right.len &&
                              memcmp(got.body, right.body, got.len) == 0,
                          "allocation %ld of %ld: %d %s", n, calls, got.status,
                          got.body);
        free(got.body);
    }
    free(right.body);
}
