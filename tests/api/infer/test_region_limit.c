/* Lengths in shared memory are copied before they are read, so they have a
 * limit. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "api/api.h"
#include "api/server_state.h"
#include "tests/api/answer.h"
#include "tests/unit.h"

enum { LIMIT = 64 << 20, LEN = 8 };

static void *memory;

static bool find(void *context, const char *name, struct api_region *region)
{
    (void)context;
    (void)name;
    *region = (struct api_region){.data = memory, .size = LIMIT + LEN};
    return true;
}

/* Answers a request with `count` lengths, all 0, of no data. */
static void ask(size_t count, struct api_reply *reply)
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
    ask(LIMIT / LEN, &reply);
    ck_assert_int_eq(reply.status, 200);
    api_reply_free(&reply);
    ask(LIMIT / LEN + 1, &reply);
    ck_assert_int_eq(reply.status, 413);
    ck_assert_ptr_nonnull(strstr(reply.pieces[0].data, "at most 67108864"));
    api_reply_free(&reply);
    munmap(memory, LIMIT + LEN);
}
