/* The memory of requests with shared memory. Lengths there are copied before
 * they are read, so they have a limit. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "api/api.h"
#include "api/server_state.h"
#include "tests/api/answer.h"
#include "tests/api/ask.h"
#include "tests/api/documents.h"
#include "tests/unit.h"

enum { LIMIT = 64 << 20, LEN = 8 };

static void *memory;
static bool is_aliased;

static bool find(void *context, const char *name, struct api_region *region)
{
    (void)context;
    (void)name;
    *region = (struct api_region){
        .data = memory, .size = LIMIT + LEN, .is_aliased = is_aliased};
    return true;
}

/* Answers a request with `count` lengths, all 0, of no data. */
static void ask_lengths(size_t count, struct api_reply *reply)
{
    static const struct api_regions regions = {find, NULL};
    struct api_request request = {.method = "POST",
                                  .path =
                                      "/v2/models/onnx.ReverseSequence/infer",
                                  .regions = &regions};
    char json[512];
    int len = snprintf(
        json, sizeof(json),
        "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":"
        "[0,%zu],\"data\":[]},{\"name\":\"sequence_lens\",\"datatype\":"
        "\"INT64\",\"shape\":[%zu],\"parameters\":{\"shared_memory_region\":"
        "\"r\",\"shared_memory_byte_size\":%zu}}]}",
        count, count, count * LEN);

    request.body = (unsigned char *)json;
    request.body_len = (size_t)len;
    api_answer(&request, reply);
}

UNIT_TEST(region_of_lengths_is_at_most_64_mib)
{
    struct api_reply reply;

    memory = mmap(NULL, LIMIT + LEN, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(memory, MAP_FAILED);
    ask_lengths(LIMIT / LEN, &reply);
    ck_assert_int_eq(reply.status, 200);
    api_reply_free(&reply);
    ask_lengths(LIMIT / LEN + 1, &reply);
    ck_assert_int_eq(reply.status, 413);
    ck_assert_ptr_nonnull(strstr(reply.pieces[0].data, "at most 67108864"));
    api_reply_free(&reply);
    munmap(memory, LIMIT + LEN);
}

/* Where 16 bytes come from and go to. */
static const struct {
    int from, to;
    bool is_aliased;
    size_t bytes; /* that go through the buffer */
} moves[] = {
    {0, 0, false, 0},   {0, 16, false, 0},  {16, 0, false, 0},
    {0, 15, false, 16}, {15, 0, false, 16}, {0, 32, true, 16},
};

static size_t memory_of(int from, int to)
{
    static const struct api_regions regions = {find, NULL};
    struct api_request request = {.method = "POST",
                                  .path =
                                      "/v2/models/onnx.ReverseSequence/infer",
                                  .regions = &regions};
    struct api_plan plan;
    struct api_reply reply;
    size_t bytes;
    char json[512];

    snprintf(json, sizeof(json),
             ASK_OUT(AT("input", "INT8", "[16,1]", PLACE("r", "%d", "16")),
                     INPUT("sequence_lens", "INT64", "[1]", "[16]"),
                     OUT(PLACE("r", "%d", "16"))),
             from, to);
    ask_quote(json);

    request.body = (unsigned char *)json;
    request.body_len = strlen(json);
    ck_assert(api_prepare(&request, &plan, &reply));
    bytes = plan.memory;
    api_plan_free(&plan);
    return bytes;
}

LOOP_TEST(region_that_overlaps_goes_through_the_buffer, COUNT(moves))
{
    static unsigned char few[64];
    size_t direct;

    memory = few;
    direct = memory_of(0, 48);
    is_aliased = moves[_i].is_aliased;
    ck_assert_uint_eq(memory_of(moves[_i].from, moves[_i].to),
                      direct + moves[_i].bytes);
}
