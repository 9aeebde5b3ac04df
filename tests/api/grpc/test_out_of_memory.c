/* Each allocation of each kind of call fails once: the answer is an error that
 * says so or the right one, and all memory is freed. */
#include "api/grpc.h"
#include "tests/api/answer.h"
#include "tests/api/heap.h"
#include "tests/api/message.h"
#include "tests/unit.h"

#define INFERENCE "/inference.GRPCInferenceService/"
#define NAME "0a10 6f70656e76696e6f2e52657665727365"

static const struct question {
    const char *path, *hex;
} questions[] = {
    {INFERENCE "ServerReady", ""},
    {INFERENCE "ModelReady", NAME},
    {INFERENCE "ModelReady", "0a016e"},
    {INFERENCE "ModelMetadata", NAME},
    {INFERENCE "ModelMetadata", "0a016e"},
    {INFERENCE "ModelConfig", NAME},
    {INFERENCE "RepositoryIndex", "1001"},
    {INFERENCE "RepositoryModelLoad", "12016d"},
    {INFERENCE "LogSettings", "0a07 0a0161 1202 0801"},
    {INFERENCE "SystemSharedMemoryRegister", ""},
    {INFERENCE "ModelInfer", "0a026e6f 1a0178"},
    {INFERENCE "ModelStreamInfer", "0a026e6f 1a0178"},
    {"/grpc.health.v1.Health/Check", ""},
    {"/grpc.health.v1.Health/Check", "0a0178"},
    {"/grpc.health.v1.Health/List", ""},
    {"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", "3a00"},
    {"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
     "1a12 677270635f736572766963652e70726f746f"}, /* grpc_service.proto */
};

struct outcome {
    enum api_grpc_code code;
    int http;
    size_t len;
    char text[320];
    char *message; /* owned */
};

/* Asks with the allocation number `fail_at` failing. */
static void ask_failing(const struct question *q, long fail_at,
                        struct outcome *out)
{
    struct api_request request = {.ready = true};
    struct api_grpc_status status;
    struct api_grpc_call call;
    struct api_reply reply;
    size_t len;
    unsigned char *message = message_unhex(q->hex, &len);

    heap_on(fail_at);
    if (api_grpc_request(api_grpc_find(q->path), message, len, &call, &request,
                         &reply))
        api_answer(&request, &reply);
    api_grpc_reply(&call, &request, &reply, &status);
    heap_off();
    *out = (struct outcome){.code = status.code, .http = reply.status};
    strncpy(out->text, status.text, sizeof(out->text) - 1);
    out->message = reply_join(&reply, &out->len);
    heap.on = true;
    api_reply_free(&reply);
    api_grpc_call_free(&call);
    heap_off();
    ck_assert_uint_eq(heap.live, 0);
    free(message);
}

static bool is_same(const struct outcome *a, const struct outcome *b)
{
    return a->code == b->code && strcmp(a->text, b->text) == 0 &&
           a->len == b->len && memcmp(a->message, b->message, a->len) == 0;
}

/* Of a stream the error may be a message. */
static bool says_so(const struct outcome *o)
{
    static const char text[] = "out of memory";

    return o->code == API_GRPC_UNAVAILABLE
               ? o->len == 0 && strcmp(o->text, text) == 0
               : o->code == API_GRPC_OK &&
                     memmem(o->message, o->len, text, strlen(text));
}

LOOP_TEST(every_allocation_of_a_call_may_fail_once, COUNT(questions))
{
    struct outcome right, got;
    long calls;

    ask_failing(&questions[_i], -1, &right);
    calls = heap.calls;
    ck_assert_int_gt(calls, 0);
    for (long n = 0; n < calls; n++) {
        ask_failing(&questions[_i], n, &got);
        if (got.http == 503 ? !says_so(&got) : !is_same(&got, &right))
            ck_abort_msg("allocation %ld of %ld: %d %d %s", n, calls, got.http,
                         (int)got.code, got.text);
        free(got.message);
    }
    free(right.message);
}
