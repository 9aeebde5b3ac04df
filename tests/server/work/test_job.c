#include <string.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "tests/server/work/job_case.h"
#include "tests/unit.h"

enum { BUDGET = 64 << 10 };

static struct options options;
static struct job_context context;
static struct lease lease;
static struct job job;

static void set_up(void)
{
    context = (struct job_context){.options = &options};
    budget_init(&context.budget, BUDGET, 0);
    lease_init(&lease, &context.budget, NULL);
    job_init(&job, &context);
    job.lease = &lease;
}

static void tear_down(void)
{
    job_clear(&job);
    ck_assert_uint_eq(atomic_load(&context.budget.leased), 0);
    budget_free(&context.budget);
}

static void expect_error(int status, const char *part)
{
    char text[1024] = "";

    ck_assert_int_eq(job.reply.status, status);
    ck_assert_str_eq(job.reply.content_type, "application/json");
    ck_assert_uint_lt(api_reply_bytes(&job.reply), sizeof(text));
    memcpy(text, job.reply.pieces[0].data, job.reply.pieces[0].len);
    ck_assert_msg(strstr(text, part) != NULL, "%s", text);
}

UNIT_TEST(job_reserves_the_memory_of_its_plan)
{
    job_case_set_request(&job, "");
    job_run(&job, UINT64_MAX);
    ck_assert_int_eq(job.reply.status, 200);
    ck_assert_ptr_nonnull(job.model);
    ck_assert_uint_gt(job.reserved, 0);
    ck_assert_uint_eq(lease.held, job.reserved);
    ck_assert_uint_eq(atomic_load(&context.budget.leased), 0);
}

UNIT_TEST(job_is_503_when_the_limit_is_reached)
{
    job_case_set_request(&job, "");
    ck_assert_int_eq(lease_take(&lease, CONNECTION_COST_ALLOWANCE), LEASE_OK);
    ck_assert(budget_lease(&context.budget, BUDGET));
    job_run(&job, UINT64_MAX);
    expect_error(503, "try again");
    ck_assert_int_eq(job.rejection, METRICS_INFLIGHT_BYTES);
    budget_give(&context.budget, BUDGET);
    lease_give(&lease, CONNECTION_COST_ALLOWANCE);
}

/* The allowance is the connection's: a full budget does not touch it. */
UNIT_TEST(job_that_is_small_needs_no_budget)
{
    job_case_set_request(&job, "");
    ck_assert(budget_lease(&context.budget, BUDGET));
    job_run(&job, UINT64_MAX);
    ck_assert_int_eq(job.reply.status, 200);
    budget_give(&context.budget, BUDGET);
}

UNIT_TEST(job_is_413_above_the_limit)
{
    job_case_set_request(&job, "");
    ck_assert_int_eq(lease_take(&lease, lease_most(&lease)), LEASE_OK);
    job_run(&job, UINT64_MAX);
    expect_error(413, "besides 114688 held before, but one request may hold "
                      "114688: 3/4 of max-inflight-bytes, 65536, and 65536");
    lease_give(&lease, lease_most(&lease));
}

UNIT_TEST(job_that_is_too_large_for_an_address_is_told_so)
{
    const struct peer peer = {.address = {[15] = 1}};
    struct status st;

    ck_assert(address_limit_init(&context.budget.addresses, 1000, BUDGET, &st));
    lease_init(&lease, &context.budget, &peer);
    job_case_set_request(&job, "");
    ck_assert_int_eq(lease_take(&lease, lease_most(&lease)), LEASE_OK);
    job_run(&job, UINT64_MAX);
    expect_error(413, "3/4 of max-inflight-bytes, 65536, or "
                      "max-inflight-bytes-per-address, 1000, and 65536");
    ck_assert_int_eq(job.rejection, METRICS_INFLIGHT_BYTES);
    job_clear(&job);
    lease_give(&lease, lease.held);
}

/* Nothing is inflated where nothing may be held. */
UNIT_TEST(job_is_503_without_budget_for_its_inflated_body)
{
    job_case_set_request(&job, "");
    job.body_coding = CODING_GZIP;
    ck_assert_int_eq(lease_take(&lease, CONNECTION_COST_ALLOWANCE), LEASE_OK);
    ck_assert(budget_lease(&context.budget, BUDGET));
    job_run(&job, UINT64_MAX);
    expect_error(503, "the inflated body needs ");
    ck_assert_int_eq(job.rejection, METRICS_INFLIGHT_BYTES);
    budget_give(&context.budget, BUDGET);
    lease_give(&lease, CONNECTION_COST_ALLOWANCE);
}

/* The document's tree takes more than the allowance: it is asked for while the
 * document is parsed. */
UNIT_TEST(job_asks_for_the_heap_of_its_document)
{
    static char more[6000];
    size_t len = (size_t)sprintf(more, ",\"other\":{\"a\":[0"), held;

    while (len < 5900)
        len += (size_t)sprintf(more + len, ",{}");
    sprintf(more + len, "]}");
    budget_init(&context.budget, 16 * BUDGET, 0);
    job_case_set_request(&job, more);
    ck_assert_int_eq(lease_take(&lease, CONNECTION_COST_ALLOWANCE), LEASE_OK);
    job_run(&job, UINT64_MAX);
    ck_assert_int_eq(job.reply.status, 200);
    held = lease.held - CONNECTION_COST_ALLOWANCE;
    ck_assert_uint_gt(held, CONNECTION_COST_ALLOWANCE);
    job_clear(&job);
    ck_assert(budget_lease(&context.budget, 16 * BUDGET));
    job_case_set_request(&job, more);
    job_run(&job, UINT64_MAX);
    expect_error(503, "the document needs 65536 bytes, but max-inflight-bytes, "
                      "1048576, is used up");
    budget_give(&context.budget, 16 * BUDGET);
    lease_give(&lease, lease.held - job.reserved);
}

/* A document whose length the header has wrong is read a second time for the
 * error's text: memory for one of the two is there. */
UNIT_TEST(job_is_400_where_only_its_error_lacks_memory)
{
    static char body[80000] = "{\"id\":\"a\\n";
    static const char tail[] = "\" }";
    size_t len = strlen(body);
    char header[24];

    memset(body + len, 'x', sizeof(body) - len);
    len = sizeof(body) - sizeof(tail);
    strcpy(body + len, tail);
    sprintf(header, "%zu", strlen(body) - 2);
    job_case_set_request(&job, "");
    job.request.body = (unsigned char *)body;
    job.request.body_len = strlen(body);
    job.request.inference_header = header;
    job_run(&job, UINT64_MAX);
    expect_error(400, "malformed JSON at byte 79997: the document ends too");
    ck_assert_int_eq(job.rejection, -1);
}

UNIT_TEST(job_is_504_after_its_timeout)
{
    job_case_set_request(&job, ",\"parameters\":{\"timeout\":1000}");
    job.times.arrived -= 1001000;
    job_run(&job, UINT64_MAX);
    expect_error(504, "timeout");
}

UNIT_TEST(job_within_its_timeout_is_200)
{
    job_case_set_request(&job, ",\"parameters\":{\"timeout\":100000000}");
    job_run(&job, UINT64_MAX);
    ck_assert_int_eq(job.reply.status, 200);
}

UNIT_TEST(job_that_is_cancelled_is_not_executed)
{
    job_case_set_request(&job, "");
    atomic_store(&job.cancel, true);
    job_run(&job, UINT64_MAX);
    expect_error(503, "cancelled");
}

/* A body of gzip that ends at once is damaged: it is not even read. */
UNIT_TEST(job_that_is_cancelled_is_not_inflated)
{
    job_case_set_request(&job, "");
    job.body_coding = CODING_GZIP;
    job_run(&job, UINT64_MAX);
    expect_error(400, "damaged");
    job_clear(&job);
    job_case_set_request(&job, "");
    job.body_coding = CODING_GZIP;
    atomic_store(&job.cancel, true);
    job_run(&job, UINT64_MAX);
    expect_error(503, "cancelled");
}

UNIT_TEST(job_passes_an_error_on)
{
    job_case_set_request(&job, ",\"inputs\":7");
    job_run(&job, UINT64_MAX);
    ck_assert_int_eq(job.reply.status, 400);
    ck_assert_uint_eq(job.reserved, 0);
}

/* With no time at all the job stops after each step. */
UNIT_TEST(job_runs_in_steps)
{
    static const enum job_step steps[] = {JOB_PREPARE, JOB_EXECUTE};

    job_case_set_request(&job, "");
    for (int i = 0; i < 2; i++) {
        ck_assert(!job_run(&job, 0));
        ck_assert_int_eq(job.step, steps[i]);
        ck_assert_int_eq(job.reply.status, 0);
    }
    ck_assert_uint_gt(job_cost_ns(&job), 0);
    ck_assert(job_run(&job, UINT64_MAX));
    ck_assert_int_eq(job.reply.status, 200);
    ck_assert_uint_eq(job_cost_ns(&job), 0);
}

/* Its steps take microseconds. */
UNIT_TEST(job_that_waits_again_waits_in_the_queue)
{
    const uint64_t waited_ns = 20000000;
    uint64_t queue_ns, input_ns;

    job_case_set_request(&job, "");
    job.times.whole = clock_now_ns();
    ck_assert(!job_run(&job, 0));
    usleep(waited_ns / 1000);
    ck_assert(!job_run(&job, 0));
    usleep(waited_ns / 1000);
    ck_assert(job_run(&job, UINT64_MAX));
    ck_assert_uint_eq(job.times.paused, 0);
    ck_assert(model_times_stage(&job.times, MODEL_QUEUE, &queue_ns));
    ck_assert(model_times_stage(&job.times, MODEL_INPUT, &input_ns));
    ck_assert_uint_ge(queue_ns, 2 * waited_ns);
    ck_assert_uint_le(input_ns, job.times.executed - job.times.started);
}

UNIT_TEST(job_that_waits_to_be_compressed_waits_in_the_queue)
{
    const uint64_t waited_ns = 2000000;
    struct model_times before;
    uint64_t shift_ns;

    job_case_set_request(&job, "");
    job.reply_coding = CODING_GZIP;
    while (job.step != JOB_DEFLATE)
        ck_assert(!job_run(&job, 0));
    before = job.times;
    usleep(waited_ns / 1000);
    ck_assert(job_run(&job, UINT64_MAX));
    shift_ns = job.times.started - before.started;
    ck_assert_uint_ge(shift_ns, waited_ns);
    ck_assert_uint_eq(job.times.prepared - before.prepared, shift_ns);
    ck_assert_uint_eq(job.times.executed - before.executed, shift_ns);
}

UNIT_TEST(job_that_is_stopped_has_waited_till_then)
{
    job_case_set_request(&job, "");
    job.times.whole = clock_now_ns();
    ck_assert(!job_run(&job, 0));
    usleep(2000);
    job_stop(&job);
    ck_assert_uint_ge(job.times.started - job.times.whole, 2000000);
}

UNIT_TEST(job_may_stop_between_two_steps)
{
    job_case_set_request(&job, "");
    ck_assert(!job_run(&job, 0));
    ck_assert(!job_run(&job, 0));
    ck_assert_ptr_nonnull(job.plan.infer);
    job_stop(&job);
    ck_assert_ptr_null(job.plan.infer);
    ck_assert(job_run(&job, 0)); /* there is nothing left to do */
    ck_assert_int_eq(job.reply.status, 0);
}

/* Before it is prepared: 1 ns a byte of JSON, 3 of a coded body that becomes
 * four times as long, a quarter where values follow a document, are in a
 * message of gRPC or a file, 10 for each byte of a coded reply. */
UNIT_TEST(job_cost_knows_lengths_and_codings)
{
    job.request.body_len = 1000;
    ck_assert_uint_eq(job_cost_ns(&job), 1000);
    job.reply_coding = CODING_GZIP;
    ck_assert_uint_eq(job_cost_ns(&job), 11000);
    job.reply_coding = CODING_IDENTITY;
    job.body_coding = CODING_GZIP;
    ck_assert_uint_eq(job_cost_ns(&job), 12000);
    job.body_coding = CODING_IDENTITY;
    job.request.inference_header = "100";
    ck_assert_uint_eq(job_cost_ns(&job), 250);
    job.request.inference_header = NULL;
    job.request.is_protobuf = true;
    ck_assert_uint_eq(job_cost_ns(&job), 250);
    job.request.is_protobuf = false;
    job.request.content_type = "application/x-npy";
    ck_assert_uint_eq(job_cost_ns(&job), 250);
}

FIXTURE(set_up, tear_down)
