/* gRPC's methods that are no inference: the request that a message stands for,
 * and the message and status of the reply. */
#include "tests/api/grpc/call.h"
#include "tests/api/message.h"
#include "tests/heap_in_use.h"
#include "tests/unit.h"

#define INFERENCE "/inference.GRPCInferenceService/"
/* The fields name and version of many messages: openvino.Reverse 1 */
#define NAME "0a10 6f70656e76696e6f2e52657665727365"
#define VERSION "1201 31"

static const struct {
    const char *method, *hex;
    const char *answer; /* or the parts of a long one, between '|' */
} cases[] = {
    {INFERENCE "ServerLive", "", "0 {1=1}"},
    {INFERENCE "ServerReady", "", "0 {1=1}"},
    {INFERENCE "ServerReady", "f80701", "0 {1=1}"}, /* unknown field */
    {INFERENCE "ServerLive", "0a", "13 malformed message at byte 1: a length "},
    {"/grpc.health.v1.Health/List", "0a", "13 malformed message at byte 1"},
    {INFERENCE "ModelReady", NAME, "0 {1=1}"},
    {INFERENCE "ModelReady", NAME VERSION, "0 {1=1}"},
    {INFERENCE "ModelReady", NAME "120132", "0 {}"},
    {INFERENCE "ModelReady", "0a016e", "0 {}"},
    {INFERENCE "ModelReady", "", "3 name is empty"},
    {INFERENCE "ModelReady", "0a0180", "13 name is not UTF-8: see its byte 0"},
    {INFERENCE "ModelReady", "0a", "13 malformed message at byte 1: a length "},
    {INFERENCE "ServerMetadata", "",
     "0 {1='flipd' 2='|3='binary_tensor_data' 3='logging'"},
    {INFERENCE "ModelMetadata", NAME,
     "0 {1='openvino.Reverse' 2='1' 3='flipd' 4={1='data' 2='FP32' 3="
     "ffffffffffffffffff01ffffffffffffffffff01} 4={1='axis' 2='|5={1='output'"},
    {INFERENCE "ModelMetadata", "0a016e",
     "5 Request for unknown model: 'n' is not found; GET /v2/models lists"},
    {INFERENCE "ModelMetadata", "0a14 6f6e6e782e7265766572736573657175656e6365",
     "5 |did you mean onnx.ReverseSequence? GET"},
    {INFERENCE "ModelMetadata", "0a03612f62",
     "5 Request for unknown model: "
     "'a/b' is not found"},
    {INFERENCE "ModelMetadata", "0a02612f" NAME, "0 {1='openvino.Reverse'"},
    {INFERENCE "ModelMetadata", NAME "12023939", "5 |version '99'"},
    {INFERENCE "ModelConfig", NAME,
     "0 {1={1='openvino.Reverse' 2='flipd' 4=0 5={1='data' 2=11 4="
     "ffffffffffffffffff01ffffffffffffffffff01} 5={1='axis' 2=9 4="
     "ffffffffffffffffff01} 6={1='output' 2=11 3=|17='flipd'}}"},
    {INFERENCE "RepositoryIndex", "",
     "0 {1={1='onnx.ReverseSequence' 2='10' "
     "3='READY' 4=''} 1={"},
    {INFERENCE "RepositoryIndex", "1001", "0 {1={1="},
    {INFERENCE "RepositoryIndex", "0a016d", "0 {1={1="},
    {INFERENCE "RepositoryModelLoad", "12016d", "12 models are loaded and"},
    {INFERENCE "RepositoryModelUnload", "12016d", "12 models are loaded and"},
    {INFERENCE "TraceSetting", "", "12 no route /v2/trace/setting"},
    {"/grpc.health.v1.Health/Check", "", "0 {1=1}"},
    {"/grpc.health.v1.Health/Check",
     "0a1e 696e666572656e63652e47525043496e666572656e636553657276696365",
     "0 {1=1}"},
    {"/grpc.health.v1.Health/Check", "0a0178", "5 no service 'x': known are"},
    {"/grpc.health.v1.Health/Check", "0a03610062",
     "3 service holds a NUL character"},
    {"/grpc.health.v1.Health/Check", "0a", "13 malformed message"},
    {"/grpc.health.v1.Health/List", "",
     "0 {1={1='' 2={1=1}} 1={1='inference.GRPCInferenceService' 2={1=1}}}"},
    {"/grpc.health.v1.Health/List", "0a0178", "0 {1={1='' 2={1=1}}"},
    /* answered by the server's routes, which are not here */
    {INFERENCE "LogSettings", "", "5 this route is answered by the server"},
    {INFERENCE "SystemSharedMemoryRegister", "", "3 name is empty"},
    {INFERENCE "SystemSharedMemoryStatus", "", "5 this route is answered by"},
    {INFERENCE "CudaSharedMemoryRegister", "0a0172", "5 this route is answ"},
    {"/inference.GRPCInferenceService/Nothing", "", "no method"},
    {"/inference.GRPCInferenceService", "", "no method"},
    {"", "", "no method"},
};

/* Of parts, the text begins with the first. */
static void check(char *text, const char *parts)
{
    if (strncmp(text, parts, strcspn(parts, "|")) != 0)
        ck_abort_msg("%s, but %s is expected", text, parts);
    assert_parts(text, parts + (*parts == '|'));
    free(text);
}

LOOP_TEST(a_method_answers, COUNT(cases))
{
    check(call_ask(cases[_i].method, cases[_i].hex), cases[_i].answer);
}

/* `count` times `part` behind `head`, and then `tail`. */
static char *repeat(const char *method, const char *head, const char *part,
                    int count, const char *tail)
{
    size_t len = strlen(head) + (size_t)count * strlen(part) + strlen(tail);
    char *hex = malloc(len + 1);
    char *at = stpcpy(hex, head), *text;

    while (count-- > 0)
        at = stpcpy(at, part);
    strcpy(at, tail);
    text = call_ask(method, hex);
    free(hex);
    return text;
}

/* An entry of 1999 fields with itself, most of them unknown, and another of the
 * same key, whose fields would be too many. */
UNIT_TEST(a_padded_map_is_refused)
{
    check(repeat(INFERENCE "LogSettings", "0ae82e0a016112020801", "f80701",
                 1995, "0a070a016112020800"),
          "3 malformed message at byte |more than 2000 fields");
}

/* A message without fields of its own may have any others. */
static const struct {
    const char *method, *head, *part;
    int count;
    const char *answer;
} repeated[] = {
    {INFERENCE "ServerLive", "", "f80701", 3000, "0 {1=1}"},
    {INFERENCE "ModelReady", NAME, "f80701", 1999, "0 {1=1}"},
    {INFERENCE "ModelReady", NAME, "f80701", 2000,
     "3 malformed message at byte |more than 2000 fields"},
    {INFERENCE "LogSettings", "", "0a070a016112020801", 100,
     "5 this route is answered by the server only"},
    {INFERENCE "LogSettings", "", "0a070a016112020801", 101,
     "3 settings has more than 100 entries"},
    {"/grpc.health.v1.Health/Check", "", "f80701", 2001,
     "3 |more than 2000 fields"},
    {"/grpc.health.v1.Health/Check", "0a4f", "78", 79, "5 |xxx': known are"},
    {"/grpc.health.v1.Health/Check", "0a51", "78", 81,
     "5 no service 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx': known are '' and "
     "inference.GRPCInferenceService"},
};

LOOP_TEST(a_long_message_has_its_limits, COUNT(repeated))
{
    check(repeat(repeated[_i].method, repeated[_i].head, repeated[_i].part,
                 repeated[_i].count, ""),
          repeated[_i].answer);
}

UNIT_TEST(a_method_leaves_nothing_behind)
{
    size_t before = 0;

    for (int round = 0; round < 8; round++) {
        for (size_t i = 0; i < COUNT(cases); i++)
            free(call_ask(cases[i].method, cases[i].hex));
        if (round == 5)
            before = heap_in_use();
    }
    if (heap_is_exact())
        ck_assert_uint_eq(heap_in_use(), before);
}

static void drain(struct api_request *request)
{
    request->ready = false;
}

UNIT_TEST(a_draining_server_is_not_ready)
{
    static const char *const answers[][2] = {
        {INFERENCE "ServerReady", "0 {1=0}"},
        {"/grpc.health.v1.Health/Check", "0 {1=2}"},
        {"/grpc.health.v1.Health/List",
         "0 {1={1='' 2={1=2}} 1={1='inference.GRPCInferenceService' 2={1=2}}}"},
    };

    for (int i = 0; i < COUNT(answers); i++) {
        char *text = call_ask_with(answers[i][0], "", drain);

        ck_assert_str_eq(text, answers[i][1]);
        free(text);
    }
}

/* What the message asks for, as HTTP is asked for it. */
static const struct {
    const char *method, *hex, *http, *path, *body;
} requests[] = {
    {"ModelReady", "0a02612f" VERSION, "GET",
     "/v2/models/a%2F/versions/1/ready", ""},
    {"ModelReady", "0a0761002e5f2d2f7a", "GET", "/v2/models/a%00._-%2Fz/ready",
     ""},
    {"ModelStatistics", "", "GET", "/v2/models/stats", ""},
    {"ModelStatistics", "0a016d", "GET", "/v2/models/m/stats", ""},
    {"ModelStatistics", "0a016d" VERSION, "GET",
     "/v2/models/m/versions/1/stats", ""},
    {"RepositoryIndex", "1001", "POST", "/v2/repository/index",
     "{\"ready\":true}"},
    {"RepositoryIndex", "120101", "POST", "/v2/repository/index", "{}"},
    {"RepositoryIndex", "0801", "POST", "/v2/repository/index", "{}"},
    {"RepositoryIndex", "0a016d 1001 1000", "POST", "/v2/repository/index",
     "{\"repository_name\":\"m\",\"ready\":false}"},
    {"RepositoryModelLoad", "0a016d 12016e", "POST",
     "/v2/repository/models/n/load",
     "{\"repository_name\":\"m\",\"model_name\":\"n\"}"},
    {"SystemSharedMemoryStatus", "", "GET", "/v2/systemsharedmemory/status",
     ""},
    {"SystemSharedMemoryStatus", "0a02c3a4", "GET",
     "/v2/systemsharedmemory/region/%C3%A4/status", ""},
    {"SystemSharedMemoryRegister",
     "0a0172 12022f6b 1805 20ffffffffffffffffff01", "POST",
     "/v2/systemsharedmemory/region/r/register",
     "{\"name\":\"r\",\"key\":\"/k\",\"offset\":5,"
     "\"byte_size\":18446744073709551615}"},
    {"SystemSharedMemoryUnregister", "", "POST",
     "/v2/systemsharedmemory/unregister", "{}"},
    {"SystemSharedMemoryUnregister", "0a0172", "POST",
     "/v2/systemsharedmemory/region/r/unregister", "{\"name\":\"r\"}"},
    {"CudaSharedMemoryRegister", "0a0172 120101 1802", "POST",
     "/v2/cudasharedmemory/region/r/register",
     "{\"name\":\"r\",\"device_id\":2}"},
    {"LogSettings", "", "GET", "/v2/logging", "{}"},
    {"LogSettings", "f80701", "GET", "/v2/logging", "{}"},
    /* another field with an entry, and an entry that is a number */
    {"LogSettings", "1207 0a0161 1202 0801", "GET", "/v2/logging", "{}"},
    {"LogSettings", "0801", "GET", "/v2/logging", "{}"},
    /* the last of two choices counts */
    {"LogSettings", "0a09 0a0161 1204 1005 0801", "POST", "/v2/logging",
     "{\"a\":true}"},
    {"LogSettings", "0a09 0a0161 1204 0801 1005", "POST", "/v2/logging",
     "{\"a\":5}"},
    /* bool, number and text; a key that stands twice; a value in two parts */
    {"LogSettings",
     "0a07 0a0161 1202 0801 0a07 0a0162 1202 1005 0a08 0a0163 1203 1a0178"
     "0a0b 0a0162 1202 1006 1202 1007 0a03 0a0164",
     "POST", "/v2/logging",
     "{\"a\":true,\"b\":5,\"c\":\"x\",\"b\":7,\"d\":null}"},
};

LOOP_TEST(a_message_is_a_request, COUNT(requests))
{
    struct api_grpc_call call;
    struct api_request request = {0};
    struct api_reply reply;
    char path[80];
    size_t len;
    unsigned char *message = message_unhex(requests[_i].hex, &len);

    snprintf(path, sizeof(path), INFERENCE "%s", requests[_i].method);
    ck_assert(api_grpc_request(api_grpc_find(path), message, len, &call,
                               &request, &reply));
    ck_assert_str_eq(request.method, requests[_i].http);
    ck_assert_str_eq(request.path, requests[_i].path);
    ck_assert_ptr_eq(request.route, &call.route);
    ck_assert_int_eq(reply.status, 0);
    ck_assert_uint_eq(request.body_len, strlen(requests[_i].body));
    ck_assert_int_eq(memcmp(request.body, requests[_i].body, request.body_len),
                     0);
    ck_assert(!request.is_protobuf);
    api_grpc_call_free(&call);
    ck_assert_ptr_null(call.method);
    ck_assert_ptr_null(call.owned);
    free(message);
}

static const struct {
    int http;
    enum api_grpc_code code;
} codes[] = {
    {200, API_GRPC_OK},
    {400, API_GRPC_INVALID_ARGUMENT},
    {401, API_GRPC_UNAUTHENTICATED},
    {403, API_GRPC_PERMISSION_DENIED},
    {404, API_GRPC_NOT_FOUND},
    {405, API_GRPC_UNIMPLEMENTED},
    {408, API_GRPC_DEADLINE_EXCEEDED},
    {413, API_GRPC_RESOURCE_EXHAUSTED},
    {415, API_GRPC_UNIMPLEMENTED},
    {431, API_GRPC_RESOURCE_EXHAUSTED},
    {499, API_GRPC_CANCELLED},
    {500, API_GRPC_INTERNAL},
    {501, API_GRPC_UNIMPLEMENTED},
    {503, API_GRPC_UNAVAILABLE},
    {504, API_GRPC_DEADLINE_EXCEEDED},
};

LOOP_TEST(a_status_of_http_is_a_code, COUNT(codes))
{
    ck_assert_int_eq(api_grpc_code(codes[_i].http), codes[_i].code);
}

UNIT_TEST(a_message_of_a_small_method_is_small)
{
    /* One field that is not known, up to the last byte that is allowed. */
    static unsigned char message[API_GRPC_SMALL_MESSAGE + 1] = {0x0A, 0xFC,
                                                                0xFF, 0x03};
    const struct api_grpc_method *method =
        api_grpc_find(INFERENCE "ServerLive");
    struct api_grpc_status status;
    struct api_grpc_call call;
    struct api_request request = {0};
    struct api_reply reply;

    ck_assert(api_grpc_request(method, message, sizeof(message) - 1, &call,
                               &request, &reply));
    api_grpc_call_free(&call);
    ck_assert(!api_grpc_request(method, message, sizeof(message), &call,
                                &request, &reply));
    api_grpc_reply(&call, &request, &reply, &status);
    ck_assert_int_eq(status.code, API_GRPC_RESOURCE_EXHAUSTED);
    ck_assert_str_eq(status.text, "the message has 65537 bytes, but this "
                                  "method takes 65536 at most");
    api_reply_free(&reply);
    api_grpc_call_free(&call);
}

static const struct {
    const char *hex;
    bool ready;
    unsigned char state;
} watches[] = {
    {"", true, 1}, {"", false, 2}, {"0a0178", true, 3}, {"0a0178", false, 3}};

LOOP_TEST(a_watch_tells_the_state, COUNT(watches))
{
    struct api_grpc_call call;
    struct api_request request = {0};
    struct api_reply reply;
    const unsigned char *data;
    unsigned char message[] = {0x0A, 1, 'x'};

    ck_assert(api_grpc_request(api_grpc_find("/grpc.health.v1.Health/Watch"),
                               message, strlen(watches[_i].hex) / 2, &call,
                               &request, &reply));
    api_grpc_watch(&call, watches[_i].ready, &reply);
    ck_assert_int_eq(reply.status, 200);
    ck_assert_str_eq(reply.content_type, "application/grpc");
    ck_assert_int_eq(reply.piece_count, 1);
    ck_assert_uint_eq(api_reply_bytes(&reply), 2);
    data = reply.pieces[0].data;
    ck_assert(data[0] == 0x08 && data[1] == watches[_i].state);
    api_reply_free(&reply);
    api_grpc_call_free(&call);
}
