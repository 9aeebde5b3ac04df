/* The memory of requests with shared memory. What is read as values there, and
 * not only moved, is copied before, so it has a limit. */
#include <sys/mman.h>

#include "api/server_state.h"
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

/* A request with ' for ", to ONNX's model. */
static bool prepare(char *json, struct api_plan *plan, struct api_reply *reply)
{
    static const struct api_regions regions = {find, NULL};
    static struct api_request request;

    request = ask_post("/v2/models/" ONNX "/infer", json);
    request.regions = &regions;
    return api_prepare(&request, plan, reply);
}

/* More are refused: see `unfit`. */
UNIT_TEST(region_of_lengths_is_at_most_64_mib)
{
    char json[] = ASK(
        INPUT("input", "FP32", "[0,8388608]", "[]"),
        AT("sequence_lens", "INT64", "[8388608]", PLACE("r", "0", "67108864")));
    struct api_plan plan;
    struct api_reply reply;

    memory = mmap(NULL, LIMIT + LEN, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(memory, MAP_FAILED);
    ck_assert(prepare(json, &plan, &reply));
    api_plan_free(&plan);
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
    struct api_plan plan;
    struct api_reply reply;
    size_t bytes;
    char json[512];

    snprintf(json, sizeof(json),
             ASK_OUT(AT("input", "INT8", "[16,1]", PLACE("r", "%d", "16")),
                     INPUT("sequence_lens", "INT64", "[1]", "[16]"),
                     OUT(PLACE("r", "%d", "16"))),
             from, to);
    ck_assert(prepare(json, &plan, &reply));
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

#define LENS_OF(lens) INPUT("sequence_lens", "INT64", "[1]", lens)
#define BINARY OUT("'parameters':{'binary_data':true}")

/* Tensors in shared memory that are a byte too large for their use, have no
 * form for it, or do not fit: all is known before memory is planned. */
static const struct {
    const char *json;
    int status;
    const char *error;
} unfit[] = {
    {ASK(AT("input", "INT8", "[67108865,1]", PLACE("r", "0", "67108865")),
         LENS_OF("[1]")),
     413,
     "'input' has 67108865 bytes in shared memory, but as JSON at most "
     "67108864 "
     "are read from there"},
    {ASK_OUT(AT("input", "BYTES", "[1,1]", PLACE("r", "0", "67108865")),
             LENS_OF("[1]"), BINARY),
     413,
     "'input' has 67108865 bytes in shared memory, but as BYTES at most "
     "67108864 are read from there"},
    {ASK(INPUT("input", "INT8", "[0,8388609]", "[]"),
         AT("sequence_lens", "INT64", "[8388609]",
            PLACE("r", "0", "67108872"))),
     413,
     "'sequence_lens' has 67108872 bytes in shared memory, but as lengths or "
     "axes at most 67108864 are read from there"},
    {ASK(AT("input", "FP8_E5M2", "[1,1]", PLACE("r", "0", "1")),
         LENS_OF("[1]")),
     400,
     "'input' is FP8_E5M2, which has no JSON form: send and ask for it in "
     "binary (binary_data_size, binary_data)"},
    {ASK_OUT(AT("input", "BYTES", "[1,1]", PLACE("r", "0", "4")),
             LENS_OF("[1]"), OUT(PLACE("r", "0", "3"))),
     400, "'Y' takes 4 bytes, but shared_memory_byte_size is 3"},
};

LOOP_TEST(region_that_does_not_fit_is_refused_with_its_use, COUNT(unfit))
{
    static unsigned char untouched[4];
    struct api_plan plan;
    struct api_reply reply;
    char json[512];

    memory = untouched;
    snprintf(json, sizeof(json), "%s", unfit[_i].json);
    ck_assert(!prepare(json, &plan, &reply));
    ck_assert_int_eq(reply.status, unfit[_i].status);
    ck_assert_str_eq(reply.error, unfit[_i].error);
    api_reply_free(&reply);
}

/* Requests with `bytes` at the start of the region, and the end of the reply.
 */
static const struct {
    const char *json, *bytes;
    size_t len;
    const char *wanted;
    size_t wanted_len;
} once[] = {
    {ASK_OUT(AT("input", "BYTES", "[2,1]", PLACE("r", "0", "11")),
             LENS_OF("[2]"), BINARY),
     "\1\0\0\0a\2\0\0\0bc", 11, "\2\0\0\0bc\1\0\0\0a", 11},
    {ASK(AT("input", "BYTES", "[2,1]", PLACE("r", "0", "11")), LENS_OF("[2]")),
     "\1\0\0\0a\2\0\0\0bc", 11, "[\"bc\",\"a\"]}]}", 13},
    {ASK(AT("input", "UINT8", "[3,1]", PLACE("r", "0", "3")), LENS_OF("[3]")),
     "\1\2\3", 3, "[3,2,1]}]}", 10},
    {ASK(INPUT("input", "UINT8", "[3,1]", "[1,2,3]"),
         AT("sequence_lens", "INT64", "[1]", PLACE("r", "0", "8"))),
     "\2\0\0\0\0\0\0", 8, "[2,1,3]}]}", 10},
};

/* Its client may write to it at any time: here between the two steps. */
LOOP_TEST(region_that_is_read_as_values_is_read_once, COUNT(once))
{
    static unsigned char few[16];
    const struct api_piece *last;
    struct api_plan plan;
    struct api_reply reply;
    char json[512];
    void *buffer;

    memory = few;
    memcpy(few, once[_i].bytes, once[_i].len);
    snprintf(json, sizeof(json), "%s", once[_i].json);
    ck_assert(prepare(json, &plan, &reply));
    memset(few, 0xEE, sizeof(few));
    buffer = malloc(plan.memory);
    api_execute(&plan, buffer, NULL, &reply);
    ck_assert_int_eq(reply.status, 200);
    last = &reply.pieces[reply.piece_count - 1];
    ck_assert_uint_ge(last->len, once[_i].wanted_len);
    ck_assert_mem_eq((const char *)last->data + last->len - once[_i].wanted_len,
                     once[_i].wanted, once[_i].wanted_len);
    api_reply_free(&reply);
    api_plan_free(&plan);
    free(buffer);
}
