/* The bytes that a plan claims to hold, against its bytes on the heap. */
#include "api/server_state.h"
#include "tests/api/documents.h"
#include "tests/api/heap.h"
#include "tests/unit.h"

/* Shared memory, of which JSON is made from a copy. */
static unsigned char shared[1000000];

static bool find_shared(void *context, const char *name,
                        struct api_region *region)
{
    (void)context;
    (void)name;
    *region = (struct api_region){.data = shared, .size = sizeof(shared)};
    return true;
}

static const struct api_regions regions = {find_shared, NULL};

static size_t asked; /* bytes */

static bool take(void *context, size_t bytes)
{
    (void)context;
    asked += bytes;
    return true;
}

/* What is held for a moment only is asked for as well, but for free bytes: of
 * the document, of lengths, and of a context of 100,000 lengths twice as many.
 */
static void check_held(const struct api_request *of)
{
    static const struct api_heap ask = {take, NULL};
    struct api_request request = *of;
    struct api_reply reply;
    struct api_plan plan;
    bool is_prepared;

    asked = 0;
    request.heap = &ask;
    heap_on(-1);
    is_prepared = api_prepare(&request, &plan, &reply);
    heap_off();
    ck_assert(is_prepared);
    ck_assert_msg(heap.peak <= asked + 4 * API_HEAP_FREE,
                  "%zu bytes at once, %zu asked for", heap.peak, asked);
    ck_assert_msg(heap.live <= plan.heap_bytes + 4096,
                  "%zu bytes are held, %zu announced", heap.live,
                  plan.heap_bytes);
    ck_assert_msg(plan.heap_bytes <= heap.live + 4096,
                  "%zu bytes are announced, %zu held", plan.heap_bytes,
                  heap.live);
    heap.on = true;
    api_plan_free(&plan);
    heap_off();
    ck_assert_uint_eq(heap.live, 0);
}

static char *many(const char *before, const char *piece, size_t count,
                  const char *tail)
{
    size_t len;
    char *text;
    FILE *out = open_memstream(&text, &len);

    fputs(before, out);
    for (size_t i = 0; i < count; i++)
        fputs(piece, out);
    fputs(tail, out);
    fclose(out);
    return text;
}

#define INFER(model) "/v2/models/" model "/infer"

static const struct {
    const char *path, *before, *piece, *tail;
    size_t count;
} holders[] = {
    {INFER(ONNX), DOCUMENT(""), "", "", 0},
    {INFER(SEQUENCE),
     "{'inputs':[" BYTES_INPUT("data", "INT8", "[100000,0]",
                               "0") ",{'name':'seq_lengths','datatype':'INT64',"
                                    "'shape':[100000],'data':[0",
     ",0", "]}]}", 99999},
    {INFER(SEQUENCE),
     "{'inputs':[{'name':'data','datatype':'INT8','shape':[1,100000],'data':[1",
     ",1",
     "]},{'name':'seq_lengths','datatype':'FP64','shape':[1],'data':[3]}]}",
     99999},
    {INFER(GRAIPHIC),
     "{'inputs':[" BYTES_INPUT("input", "INT8", "[0,100000]",
                               "0") ",{'name':'sequence_lens','datatype':"
                                    "'INT64','shape':[100000],'data':[0",
     ",0", "]}]}", 99999},
    {INFER(ONNX),
     "{'inputs':[" AT("input", "UINT8", "[1000000,1]",
                      PLACE("r", "0", "1000000")) "," INPUT("sequence_lens",
                                                            "INT64", "[1]",
                                                            "[9]") "]}",
     "", "", 0},
    /* Lengths that differ stay until the data is moved. */
    {INFER(SEQUENCE),
     "{'inputs':[" AT(
         "data", "UINT8", "[100000,2]",
         PLACE("r", "0", "200000")) ",{'name':'seq_lengths','datatype':'INT64',"
                                    "'shape':[100000],'data':[0",
     ",2", "]}]}", 99999},
    {INFER(ONNX), "{'x':[1", ",1", "]," INPUTS "}", 1900},
    {INFER(ONNX), "{'x':[{}", ",{'a':[]}", "]," INPUTS "}", 900},
    {INFER(ONNX), "{'id':'", "0123456789", "'," INPUTS "}", 400000},
};

/* For requests with many lengths, or a large document around little data. */
LOOP_TEST(plan_held_is_its_heap, COUNT(holders))
{
    char *json = many(holders[_i].before, holders[_i].piece, holders[_i].count,
                      holders[_i].tail);
    struct api_request request = ask_post(holders[_i].path, json);

    request.regions = &regions;
    check_held(&request);
    free(json);
}

/* A query is copied, to be read as a document. */
UNIT_TEST(plan_holds_its_query)
{
    static unsigned char file[] =
        "\x93NUMPY\1\0\74\0{'descr': '|i1', 'fortran_order': False, "
        "'shape': (2, 3), }\n------";
    char *query = many("sequence_lens=2,1,0&id=", "a", 30000, "");
    const struct api_request request = {
        .method = "POST",
        .path = INFER(ONNX),
        .query = query,
        .content_type = "application/x-npy",
        .body = file,
        .body_len = sizeof(file) - 1,
    };

    check_held(&request);
    free(query);
}

static bool take_nothing(void *context, size_t bytes)
{
    (void)context;
    return bytes == 0;
}

#define BATCH(batch, lens)                                                     \
    "{'inputs':[" INPUT("input", "INT8", "[0," batch "]", "[]") "," lens "]}"

/* Requests that get no more heap than is free, zeros behind the document, and
 * the error. What an operator refuses claims no heap. */
static const struct {
    const char *json;
    size_t tail_len;
    int status; /* 0: it is prepared */
    const char *error;
} poor[] = {
    {BATCH("8192", BYTES_INPUT("sequence_lens", "INT64", "[8192]", "65536")),
     65536, 0, NULL},
    {BATCH("8193", BYTES_INPUT("sequence_lens", "INT64", "[8193]", "65544")),
     65544, 503, "out of memory"},
    {BATCH("1",
           INPUT("sequence_lens", "INT64", "[1152921504606846976,0]", "[]")),
     0, 400, "sequence_lens has rank 2, but it must be 1"},
    {BATCH("1", INPUT("sequence_lens", "BYTES", "[1152921504606846976]", "[]")),
     0, 400, "sequence_lens is BYTES, but it must be INT64"},
    {BATCH("1",
           BYTES_INPUT("sequence_lens", "BYTES", "[1152921504606846976]", "4")),
     4, 400, "sequence_lens is BYTES, but it must be INT64"},
    {BATCH("1", INPUT("sequence_lens", "INT64", "[1000000000000000]", "[0]")),
     0, 400,
     "data of 'sequence_lens' has 1 elements, but shape [1000000000000000] has "
     "1000000000000000"},
    /* copies of lengths and of shared memory */
    {BATCH("1", INPUT("sequence_lens", "INT64", "[1]", "[0]")), 0, 503,
     "out of memory"},
    {BATCH("1", AT("sequence_lens", "INT64", "[1]", PLACE("r", "0", "8"))), 0,
     503, "out of memory"},
    {"{'inputs':[" AT("input", "INT8", "[1,1]",
                      PLACE("r", "0", "1")) "," BYTES_INPUT("sequence_lens",
                                                            "INT64", "[1]",
                                                            "8") "]}",
     8, 503, "out of memory"},
};

LOOP_TEST(heap_that_is_refused_ends_the_request_that_needs_it, COUNT(poor))
{
    static const struct api_heap ask = {take_nothing, NULL};
    size_t json_len = strlen(poor[_i].json);
    size_t body_len = json_len + poor[_i].tail_len;
    char header[24], *body = calloc(1, body_len + 1);
    const struct api_request request = {.method = "POST",
                                        .path = INFER(ONNX),
                                        .inference_header = header,
                                        .body = (unsigned char *)body,
                                        .body_len = body_len,
                                        .regions = &regions,
                                        .heap = &ask};
    struct api_reply reply = {0};
    struct api_plan plan;

    snprintf(header, sizeof(header), "%zu", json_len);
    memcpy(body, poor[_i].json, json_len);
    ask_quote(body);
    ck_assert_int_eq(api_prepare(&request, &plan, &reply), !poor[_i].error);
    ck_assert_int_eq(reply.status, poor[_i].status);
    ck_assert_pstr_eq(reply.error, poor[_i].error);
    api_reply_free(&reply);
    api_plan_free(&plan);
    free(body);
}
