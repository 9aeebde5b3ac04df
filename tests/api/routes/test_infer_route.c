/* How an infer request chooses its wire formats, and what is asked of it before
 * it is read. */
#include "api/server_state.h"
#include "tests/api/ask.h"
#include "tests/unit.h"

/* A .npy file of INT8 [1, 2]. */
static const char npy[] =
    "\x93NUMPY\x01\x00\x39\x00"
    "{'descr': '|i1', 'fortran_order': False, 'shape': (1, 2)}ab";

static struct answer ask_npy(const char *content_type, const char *accept)
{
    return ask(&(struct ask){.path = "/v2/models/onnx.ReverseSequence/infer",
                             .json = npy,
                             .json_len = sizeof(npy) - 1,
                             .query = "sequence_lens=1,1",
                             .content_type = content_type,
                             .accept = accept});
}

#define NPY "application/x-npy"
#define JSON "application/json"

static const struct {
    const char *accept, *type;
} accepted[] = {
    {NULL, NPY},
    {"", NPY},
    {NPY, NPY},
    {JSON, JSON},
    {"text/html", NPY},
    {"*/*", NPY},
    {"application/*", NPY},
    {"*/*;q=0.1", NPY},
    {JSON ", */*", JSON},
    {"*/*, " JSON, JSON},
    {JSON ";q=0.5, */*", NPY},
    {JSON ";q=0, */*", NPY},
    {JSON ";q=0", NPY},
    {JSON ", " NPY, JSON},
    {NPY ", " JSON, NPY},
    {JSON ";q=0.5, " NPY, NPY},
    {NPY ";q=0.5, " JSON, JSON},
    {NPY ";q=0.5, " JSON ";q=0.499", NPY},
    {NPY ";q=0, " JSON ";q=0.001", JSON},
    {JSON ";q=0.5, application/*;q=0.5", JSON},
    {"application/*;q=0.4, " JSON ";q=0.5", JSON},
    {JSON ";q=0.001, " NPY ";q=0.001", JSON},
};

LOOP_TEST(npy_is_answered_in_the_form_that_accept_prefers, COUNT(accepted))
{
    struct answer a = ask_npy(NPY, accepted[_i].accept);

    ck_assert_int_eq(a.status, 200);
    ck_assert_str_eq(a.content_type, accepted[_i].type);
    answer_free(&a);
}

static const struct {
    const char *type;
    int status;
} types[] = {
    {NPY, 200},
    {"APPLICATION/X-NPY", 200},
    {NPY ";v=1", 200},
    {NPY " ; v=1", 200},
    {"application/x-np", 400},
    {"application/x-npyy", 400},
    {JSON, 400},
    {"", 400},
    {NULL, 400},
};

LOOP_TEST(npy_is_read_for_its_content_type, COUNT(types))
{
    struct answer a = ask_npy(types[_i].type, NULL);

    ck_assert_int_eq(a.status, types[_i].status);
    answer_free(&a);
}

#define KEY "\"shared_memory_region\""

static const struct {
    const char *body, *header;
    bool may;
} documents[] = {
    {"", NULL, false},
    {"{}", NULL, false},
    {"{" KEY ":0}", NULL, true},
    {"{\"shared_memory_regio\":0}", NULL, false},
    {"{\"shared\\u005fmemory_region\":0}", NULL, true},
    {"\\", NULL, true},
    /* Only the document is searched; the whole body if its length is wrong. */
    {"{}" KEY, "2", false},
    {"{}\\", "2", false},
    {"{}\\", "3", true},
    {"{" KEY "}", "24", true},
    {"{" KEY "}", "21", false},
    {"{}" KEY, "100", true},
    {"{}" KEY, "x", true},
};

LOOP_TEST(shared_memory_is_looked_for_in_the_document, COUNT(documents))
{
    struct api_request request = {
        .body = (unsigned char *)(uintptr_t)documents[_i].body,
        .body_len = strlen(documents[_i].body),
        .inference_header = documents[_i].header,
    };

    ck_assert_int_eq(api_may_use_shm(&request), documents[_i].may);
}

UNIT_TEST(shared_memory_is_not_looked_for_in_a_file)
{
    struct api_request request = {
        .content_type = NPY,
        .body = (unsigned char *)(uintptr_t)KEY "\\",
        .body_len = sizeof(KEY "\\") - 1,
    };

    ck_assert(!api_may_use_shm(&request));
}

/* Without a body: what waits for a worker has often not been read yet. */
static const struct {
    struct api_request request;
    bool moves;
} bodies[] = {
    {{.content_type = JSON, .body_len = 9}, false},
    {{.body_len = 9}, false},
    {{.inference_header = "9", .body_len = 9}, true},
    {{.is_protobuf = true, .body_len = 9}, true},
    {{.content_type = NPY, .body_len = 9}, true},
    {{.content_type = NPY, .accept = NPY, .body_len = 9}, true},
    {{.content_type = NPY, .accept = JSON, .body_len = 9}, false},
    {{.content_type = "application/x-npyy", .body_len = 9}, false},
};

LOOP_TEST(values_that_only_move_are_known_by_the_headers, COUNT(bodies))
{
    ck_assert_int_eq(api_only_moves(&bodies[_i].request), bodies[_i].moves);
}

#define TIMEOUT "{\"parameters\":{\"timeout\":7},\"id\":\""

/* Of a file the query has it, of JSON the document alone. */
static const struct {
    const char *type, *header;
    uint64_t timeout_us;
} timeouts[] = {
    {NPY, NULL, 9},  {JSON, NULL, 7}, {NULL, NULL, 7},
    {NULL, "36", 7}, {NULL, "2", 0},
};

LOOP_TEST(timeout_is_where_the_content_type_says, COUNT(timeouts))
{
    char body[] = TIMEOUT "\"}";
    struct api_request request = {
        .content_type = timeouts[_i].type,
        .query = "timeout=9",
        .inference_header = timeouts[_i].header,
        .body = (unsigned char *)body,
        .body_len = sizeof(body) - 1,
    };

    ck_assert_uint_eq(api_timeout(&request), timeouts[_i].timeout_us);
}

UNIT_TEST(timeout_is_looked_for_in_256_KiB)
{
    enum { MOST = 256 << 10 };
    char *body = malloc(MOST + 1);
    struct api_request request = {.body = (unsigned char *)body};

    memset(body, 'x', MOST + 1);
    memcpy(body, TIMEOUT, sizeof(TIMEOUT) - 1);
    for (int more = 0; more < 2; more++) {
        memcpy(body + MOST + more - 2, "\"}", 2);
        request.body_len = (size_t)(MOST + more);
        ck_assert_uint_eq(api_timeout(&request), more ? 0 : 7);
        body[MOST - 2] = 'x';
    }
    free(body);
}

/* What is in plan and reply before does not matter. */
UNIT_TEST(plan_is_made_executed_and_freed)
{
    char body[sizeof(npy)];
    struct api_request request = {
        .method = "POST",
        .path = "/v2/models/onnx.ReverseSequence/infer",
        .query = "sequence_lens=1,1",
        .content_type = NPY,
        .body = memcpy(body, npy, sizeof(npy)),
        .body_len = sizeof(npy) - 1,
    };
    atomic_bool cancel = true;
    struct api_reply reply;
    struct api_plan plan;
    void *memory;

    memset(&plan, 0xA5, sizeof(plan));
    memset(&reply, 0xA5, sizeof(reply));
    ck_assert(api_prepare(&request, &plan, &reply));
    ck_assert_int_eq(reply.status, 0);
    ck_assert_ptr_null(reply.owned);
    ck_assert_str_eq(api_model_name(plan.model), "onnx.ReverseSequence");
    ck_assert_uint_eq(plan.timeout_us, 0);
    memory = malloc(plan.memory + 1);
    api_execute(&plan, memory, &cancel, &reply);
    ck_assert_int_eq(reply.status, 503);
    api_reply_free(&reply);
    api_plan_free(&plan);
    ck_assert_uint_eq(plan.memory, 0);
    ck_assert_ptr_null(plan.infer);
    ck_assert_ptr_null(plan.model);
    free(memory);
}

/* The caller's route counts. */
UNIT_TEST(route_that_was_found_is_not_looked_for)
{
    static const struct api_route live = {.id = API_ROUTE_LIVE};
    struct api_request request = {
        .method = "GET", .path = "/nothing", .route = &live};
    struct api_reply reply;
    struct api_plan plan;

    memset(&plan, 0xA5, sizeof(plan));
    ck_assert(!api_prepare(&request, &plan, &reply));
    ck_assert_int_eq(reply.status, 200);
    ck_assert_uint_eq(plan.memory, 0);
    ck_assert_ptr_null(plan.infer);
    api_reply_free(&reply);
}
