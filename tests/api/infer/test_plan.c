/* The memory of a plan: enough, not much too much, and no byte more is written.
 */
#include <stdatomic.h>

#include "kernels/core/cancel.h"
#include "tests/api/answer.h"
#include "tests/api/documents.h"
#include "tests/edge.h"
#include "tests/unit.h"

/* Kinds of requests of n elements, all reversed along one axis. `bytes` of an
 * element make the data binary; `element` is repeated in JSON. */
static const struct kind {
    const char *name, *model, *datatype;
    const char *element;
    unsigned bytes;
    bool binary_answer;
    const char *parameters;
    double most; /* bytes of buffer an element, beside 1 KiB */
    double ns;   /* of an element, beside those of its text */
} kinds[] = {
    {"bytes to bytes", ONNX, "FP32", NULL, 4, true, "", 0, 1},
    {"bytes to bytes, scaled", GRAD, "FP32", NULL, 4, true, "'lda_coeff':0.1,",
     0, 1},
    {"bytes to text", ONNX, "FP32", NULL, 4, false, "", 32, 13},
    {"bytes to text", ONNX, "FP64", NULL, 8, false, "", 32, 14},
    {"bytes to text", ONNX, "INT8", NULL, 1, false, "", 8, 12.25},
    {"bytes to text", ONNX, "UINT64", NULL, 8, false, "", 24, 14},
    {"bytes to text", ONNX, "COMPLEX128", NULL, 16, false, "", 64, 16},
    {"text to bytes", ONNX, "FP32", "-1.25e-3", 0, true, "", 4, 12},
    {"text to bytes", ONNX, "UINT1", "1", 0, true, "", 0.25, 12},
    {"text to text", ONNX, "FP32", "-1.25e-3", 0, false, "", 17, 8},
    {"text to text, scaled", GRAD, "FP32", "7", 0, false, "'lda_coeff':3,", 36,
     24},
    {"words to text", ONNX, "BYTES", "'\\u0000\xC3\xA9'", 0, false, "", 20, 8},
    {"words to bytes", ONNX, "BYTES", "'abc'", 0, true, "", 24, 8},
    {"byte words to text", ONNX, "BYTES", "\4\0\0\0\1\2\3\4", 8, false, "", 40,
     10},
    {"byte words to bytes", ONNX, "BYTES", "\4\0\0\0\1\2\3\4", 8, true, "", 24,
     10},
    {"training", GRAIPHIC, "INT16", NULL, 2, true, "", 0, 0.5},
};

struct question {
    struct api_request request;
    size_t json_len;
    unsigned char *data; /* of a binary input, in the body */
    size_t data_len;
    char path[64];
    char header[24];
};

/* Data of shape [n, 1], of which all is reversed. */
static void build(const struct kind *k, size_t n, struct question *q)
{
    bool grad = strcmp(k->model, GRAD) == 0;
    size_t data_len = n * k->bytes;
    char *body;
    size_t len;
    FILE *out = open_memstream(&body, &len);

    fprintf(out,
            "{'parameters':{%s'binary_data_output':%s},'inputs':[{'name':"
            "'sequence_lens','datatype':'INT64','shape':[1],'data':[%zu]},"
            "{'name':'%s','datatype':'%s','shape':[%zu,1],%s",
            k->parameters, k->binary_answer ? "true" : "false", n,
            grad ? "dY" : "input", k->datatype, n, k->bytes ? "" : "'data':[");
    if (k->bytes > 0)
        fprintf(out, "'parameters':{'binary_data_size':%zu}}]}", data_len);
    for (size_t i = 0; k->bytes == 0 && i < n; i++)
        fprintf(out, "%s%s", i ? "," : "", k->element);
    fputs(k->bytes > 0 ? "" : "]}]}", out);
    fflush(out);
    q->json_len = len;
    for (size_t i = 0; i < data_len; i++)
        fputc(k->element ? k->element[i % k->bytes] : (int)(i * 37 % 64), out);
    fclose(out);
    for (size_t i = 0; i < q->json_len; i++)
        body[i] = body[i] == '\'' ? '"' : body[i];
    snprintf(q->path, sizeof(q->path), "/v2/models/%s/infer", k->model);
    snprintf(q->header, sizeof(q->header), "%zu", q->json_len);
    q->data = (unsigned char *)body + q->json_len;
    q->data_len = data_len;
    q->request = (struct api_request){.method = "POST",
                                      .path = q->path,
                                      .inference_header = q->header,
                                      .body = (unsigned char *)body,
                                      .body_len = len};
}

static void prepare(const struct kind *k, struct question *q,
                    struct api_plan *plan)
{
    struct api_reply reply;

    if (api_prepare(&q->request, plan, &reply))
        return;
    ck_abort_msg("%s %s: %.*s", k->name, k->datatype, (int)reply.pieces[0].len,
                 (const char *)reply.pieces[0].data);
}

/* Executes with a buffer that ends, but for malloc's alignment, at a page that
 * may not be touched; the bytes in between stay as they were. */
static void execute_at_the_edge(struct api_plan *plan, struct api_reply *reply)
{
    size_t rounded = (plan->memory + 15) / 16 * 16;
    size_t size = edge_pages(rounded);
    unsigned char *map = edge_new(size), *end = map + size;
    unsigned char *buffer = end - rounded;

    memset(map, 0x5A, size);
    api_execute(plan, buffer, NULL, reply);
    for (unsigned char *at = map; at < end; at++)
        if ((at < buffer || at >= buffer + plan->memory) && *at != 0x5A)
            ck_abort_msg("byte %td of %zu was written", at - buffer,
                         plan->memory);
    ck_assert_int_eq(reply->status, 200);
    edge_free(map, size);
}

static const size_t sizes[] = {0, 1, 2, 3, 7, 8, 9, 63, 1000, 4097};

LOOP_TEST(memory_of_the_plan_is_enough_and_not_much_too_much, COUNT(kinds))
{
    const struct kind *k = &kinds[_i];

    for (int i = 0; i < COUNT(sizes); i++) {
        struct question q;
        struct api_plan plan;
        struct api_reply reply;

        build(k, sizes[i], &q);
        prepare(k, &q, &plan);
        ck_assert_msg((double)plan.memory <= 1024 + k->most * (double)sizes[i],
                      "%s %s: %zu bytes for %zu elements", k->name, k->datatype,
                      plan.memory, sizes[i]);
        execute_at_the_edge(&plan, &reply);
        api_reply_free(&reply);
        api_plan_free(&plan);
        free(q.request.body);
    }
}

/* What a worker's lane is chosen by. A byte of text takes 1 ns, one of values a
 * quarter, a number that is read or written 12, and a span that moves 8. */
LOOP_TEST(cost_of_the_plan_is_that_of_bytes_numbers_and_spans, COUNT(kinds))
{
    enum { ELEMENTS = 1000 };
    const struct kind *k = &kinds[_i];
    size_t text = k->bytes ? 0 : ELEMENTS * (strlen(k->element) + 1) + 1;
    struct question q;
    struct api_plan plan;

    build(k, ELEMENTS, &q);
    prepare(k, &q, &plan);
    ck_assert_uint_eq(plan.cost_ns, text + (uint64_t)(k->ns * ELEMENTS));
    api_plan_free(&plan);
    free(q.request.body);
}

static bool answers_in_place(const struct kind *k)
{
    return k->bytes > 0 && k->binary_answer &&
           strcmp(k->datatype, "BYTES") != 0;
}

/* Of the document only the head overwrites a part. */
LOOP_TEST(answer_in_bytes_to_bytes_is_the_body_itself, COUNT(kinds))
{
    const struct kind *k = &kinds[_i];
    struct question q;
    struct api_reply reply;
    size_t same;
    char *before;

    build(k, 100, &q);
    same = q.json_len;
    before = strndup((char *)q.request.body, q.json_len);
    api_answer(&q.request, &reply);
    ck_assert_int_eq(reply.status, 200);
    if (answers_in_place(k) && reply.piece_count == 2) {
        ck_assert_uint_gt(reply.json_len, q.json_len); /* no room in front */
        ck_assert_ptr_eq(reply.pieces[1].data, q.data);
    } else if (answers_in_place(k)) {
        ck_assert_int_eq(reply.piece_count, 1);
        ck_assert_ptr_eq(reply.pieces[0].data, q.data - reply.json_len);
        ck_assert_uint_eq(reply.pieces[0].len, reply.json_len + q.data_len);
        same -= reply.json_len;
    } else {
        ck_assert_int_eq(reply.piece_count, 1);
    }
    ck_assert_int_eq(memcmp(before, q.request.body, same), 0);
    api_reply_free(&reply);
    free(before);
    free(q.request.body);
}

static atomic_bool cancel;
static int tests_left; /* of the flag, before it is set */

static void set_in_time(void)
{
    if (tests_left-- == 0)
        cancel = true;
}

/* At the first test of the flag, before anything moves, and at the second. */
LOOP_TEST(execution_that_is_cancelled_answers_503, 2 * COUNT(kinds))
{
    const struct kind *k = &kinds[_i / 2];
    struct question q;
    struct api_plan plan;
    struct api_reply reply;
    void *buffer;

    build(k, 1000, &q);
    prepare(k, &q, &plan);
    buffer = malloc(plan.memory);
    tests_left = _i % 2;
    cancel_pause = set_in_time;
    api_execute(&plan, buffer, &cancel, &reply);
    ck_assert_int_eq(reply.status, 503);
    ck_assert_str_eq(reply.content_type, "application/json");
    ck_assert_uint_eq(reply.json_len, 0);
    ck_assert_int_eq(strncmp(reply.pieces[0].data, "{\"error\":\"", 10), 0);
    api_reply_free(&reply);
    api_plan_free(&plan);
    free(buffer);
    free(q.request.body);
}
