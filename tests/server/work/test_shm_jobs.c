/* Jobs whose tensors lie in shared memory. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "server/work/job.h"
#include "tests/server/shm_object.h"
#include "tests/unit.h"

static const char document[] =
    "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"UINT8\",\"shape\":[%d,1],"
    "\"parameters\":{\"shared_memory_region\":\"r\","
    "\"shared_memory_byte_size\":%d}},{\"name\":\"sequence_lens\","
    "\"datatype\":\"INT64\",\"shape\":[1],\"data\":[%d]}],\"outputs\":[{"
    "\"name\":\"Y\",\"parameters\":{\"binary_data\":true}}]}";

enum { SIZE = 8 * 4096, BUDGET = 1 << 20 };

/* With one region: "r", from byte 100 of the object "a" on. */
static struct options options;
static struct job_context context = {.options = &options};
static unsigned char *object; /* the bytes of "a" */
static struct lease lease;

static void set_up(void)
{
    struct api_shm_part part = shm_object_part("r", "a", 100, SIZE - 100);
    struct status st;

    budget_init(&context.budget, BUDGET, 0);
    ck_assert(shm_init(&context.shm, true, "/", BUDGET, &st));
    object = shm_object_make("a", SIZE, 1);
    ck_assert_msg(shm_register(&context.shm, &part, &st), "%s", st.message);
}

/* No memory and no object may be left behind. */
static void tear_down(void)
{
    munmap(object, SIZE);
    job_context_free(&context);
    ck_assert_uint_eq(atomic_load(&context.shm.maps), 0);
    ck_assert_uint_eq(atomic_load(&context.budget.leased), 0);
    shm_object_clean();
}

static void run(struct job *job, int bytes)
{
    static char body[512];
    int len = snprintf(body, sizeof(body), document, bytes, bytes, bytes);

    lease_init(&lease, &context.budget, NULL);
    job_init(job, &context);
    job->lease = &lease;
    job->request =
        (struct api_request){.method = "POST",
                             .path = "/v2/models/onnx.ReverseSequence/infer",
                             .body = (unsigned char *)(uintptr_t)body,
                             .body_len = (size_t)len,
                             .ready = true};
    while (!job_run(job, 0))
        continue;
    ck_assert_ptr_null(job->request.regions);
}

UNIT_TEST(job_reads_a_region)
{
    struct job job;
    const struct api_piece *last;
    const unsigned char *moved;

    run(&job, SIZE - 100);
    ck_assert_int_eq(job.reply.status, 200);
    last = &job.reply.pieces[job.reply.piece_count - 1];
    moved = (const unsigned char *)last->data + last->len - (SIZE - 100);
    shm_unregister(&context.shm, NULL); /* the reply does not point into it */
    for (size_t i = 0; i < SIZE - 100; i++)
        ck_assert_uint_eq(moved[i], object[SIZE - 1 - i]);
    job_clear(&job);
}

UNIT_TEST(job_of_a_shortened_region_is_400)
{
    struct job job;
    char text[512] = "";

    shm_object_cut("a", 4096);
    for (int i = 0; i < 2; i++) {
        run(&job, SIZE - 100);
        ck_assert_int_eq(job.reply.status, 400);
        ck_assert_int_eq(job.rejection, -1);
        memcpy(text, job.reply.pieces[0].data, job.reply.pieces[0].len);
        ck_assert_msg(strstr(text, "'r'") && strstr(text, "cut short"), "%s",
                      text);
        job_clear(&job);
    }
}

#define REGION "\"shared_memory_region\""

static const struct {
    const char *body, *json_len;
    bool large;
} looks[] = {
    {"{}", NULL, false},
    {"{" REGION "}", NULL, true},
    {"{" REGION "}", "24", true},
    {"{}" REGION, "2", false},
    {"{}" REGION, "99", true},
    {"{\"\\u0073hared_memory_region\"}", NULL, true},
    {"{}\\", "2", false},
    {"", NULL, false},
    {REGION, "x", true}, /* will be refused */
    {NULL, NULL, true},
};

LOOP_TEST(use_is_large_if_the_json_may_name_a_region, COUNT(looks))
{
    const char *body = looks[_i].body;
    struct api_request request = {
        .body = (unsigned char *)(uintptr_t)body,
        .body_len = body ? strlen(body) : 0,
        .inference_header = looks[_i].json_len,
    };
    const struct api_request *readable = body ? &request : NULL;
    struct shm off = {.enabled = false};

    ck_assert_int_eq(shm_may_be_large(&context.shm, readable, 1000),
                     looks[_i].large);
    ck_assert(!shm_may_be_large(&context.shm, readable, SIZE));
    ck_assert(!shm_may_be_large(&off, readable, 0));
}

FIXTURE(set_up, tear_down)
