#include <string.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "tests/heap_watch.h"
#include "tests/server/work/job_case.h"
#include "tests/unit.h"

enum { BUDGET = 64 << 10, TEXT = 300000 };

static struct options options;
static struct job_context context = {.options = &options};
static struct lease lease;
static struct job job;

static void set_up(void)
{
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

/* Runs one whose document has these members more. */
static void run(const char *more)
{
    job_case_set_request(&job, more);
    job_run(&job, UINT64_MAX);
}

static void run_without_budget(void)
{
    size_t all = context.budget.limit;

    ck_assert(budget_lease(&context.budget, all));
    job_run(&job, UINT64_MAX);
    budget_give(&context.budget, all);
}

static void take(size_t bytes)
{
    ck_assert_int_eq(lease_take(&lease, bytes), LEASE_OK);
}

UNIT_TEST(job_reserves_the_memory_of_its_plan)
{
    run("");
    ck_assert_int_eq(job.reply.status, 200);
    ck_assert_ptr_nonnull(job.model);
    ck_assert_uint_gt(job.reserved, 0);
    ck_assert_uint_eq(lease.held, job.reserved);
    ck_assert_uint_eq(atomic_load(&context.budget.leased), 0);
    job_clear(&job);
    job_case_set_request(&job, "");
    run_without_budget(); /* does not touch the connection's allowance */
    ck_assert_int_eq(job.reply.status, 200);
}

LOOP_TEST(job_is_503_when_the_limit_is_reached, 2)
{
    size_t rest; /* of the allowance */

    job_case_set_request(&job, "");
    while (_i == 1 && job.step != JOB_EXECUTE)
        ck_assert(!job_run(&job, 0));
    rest = CONNECTION_COST_ALLOWANCE - lease.held;
    take(rest);
    run_without_budget();
    expect_error(503, _i == 0 ? "the document needs " : "the answer needs ");
    ck_assert_int_eq(job.rejection, METRICS_INFLIGHT_BYTES);
    lease_give(&lease, rest);
}

/* Also above that of an address. */
LOOP_TEST(job_is_413_above_the_limit, 2)
{
    const struct peer peer = {.address = {[15] = 1}};
    struct status st;

    if (_i == 1) {
        ck_assert(
            address_limit_init(&context.budget.addresses, 1000, BUDGET, &st));
        lease_init(&lease, &context.budget, &peer);
    }
    take(lease_most(&lease));
    run("");
    if (_i == 0)
        expect_error(413,
                     "besides 114688 held before, but one request may hold "
                     "114688: 3/4 of max-inflight-bytes, 65536, and 65536");
    else
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
    take(CONNECTION_COST_ALLOWANCE);
    run_without_budget();
    expect_error(503, "the inflated body needs ");
    ck_assert_int_eq(job.rejection, METRICS_INFLIGHT_BYTES);
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
    take(CONNECTION_COST_ALLOWANCE);
    while (job.step != JOB_EXECUTE)
        ck_assert(!job_run(&job, 0));
    ck_assert_uint_eq(job.reserved, job.plan.heap_bytes);
    job_run(&job, UINT64_MAX);
    ck_assert_int_eq(job.reply.status, 200);
    held = lease.held - CONNECTION_COST_ALLOWANCE;
    ck_assert_uint_gt(held, CONNECTION_COST_ALLOWANCE);
    job_clear(&job);
    job_case_set_request(&job, more);
    run_without_budget();
    expect_error(503, "the document needs 65536 bytes, but max-inflight-bytes, "
                      "1048576, is used up");
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

UNIT_TEST(job_is_504_after_its_timeout_or_200)
{
    job_case_set_request(&job, ",\"parameters\":{\"timeout\":1000}");
    job.times.arrived -= 1001000;
    job_run(&job, UINT64_MAX);
    expect_error(504, "timeout");
    job_clear(&job);
    run(",\"parameters\":{\"timeout\":100000000}");
    ck_assert_int_eq(job.reply.status, 200);
}

/* A body of gzip that ends at once is damaged: it is not even read. */
LOOP_TEST(job_that_is_cancelled_is_not_executed_or_inflated, 2)
{
    if (_i == 1) {
        job.body_coding = CODING_GZIP;
        run("");
        expect_error(400, "damaged");
        job_clear(&job);
        job.body_coding = CODING_GZIP;
    }
    atomic_store(&job.cancel, true);
    run("");
    expect_error(503, "cancelled");
    ck_assert_int_eq(job.rejection, -1);
}

UNIT_TEST(job_passes_an_error_on)
{
    run(",\"inputs\":7");
    ck_assert_int_eq(job.reply.status, 400);
    ck_assert_uint_eq(job.reserved, 0);
}

/* With no time at all the job stops after each step, which takes microseconds;
 * if it waits again, it waits in the queue. */
UNIT_TEST(job_runs_in_steps)
{
    static const enum job_step steps[] = {JOB_PREPARE, JOB_EXECUTE};
    const uint64_t waited_ns = 20000000;
    uint64_t queue_ns, input_ns;

    job_case_set_request(&job, "");
    job.times.whole = clock_now_ns();
    for (int i = 0; i < 2; i++) {
        ck_assert(!job_run(&job, 0));
        ck_assert_int_eq(job.step, steps[i]);
        ck_assert_int_eq(job.reply.status, 0);
        usleep(waited_ns / 1000);
    }
    ck_assert_uint_gt(job_cost_ns(&job), 0);
    ck_assert(job_run(&job, UINT64_MAX));
    ck_assert_int_eq(job.reply.status, 200);
    ck_assert_ptr_null(job.plan.infer);
    ck_assert_uint_eq(job_cost_ns(&job), 0);
    ck_assert_uint_eq(job.times.paused, 0);
    ck_assert_uint_le(job.times.started, job.times.executed);
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

/* It has waited till then. */
UNIT_TEST(job_may_stop_between_two_steps)
{
    job_case_set_request(&job, "");
    job.times.whole = clock_now_ns();
    ck_assert(!job_run(&job, 0));
    ck_assert(!job_run(&job, 0));
    ck_assert_ptr_nonnull(job.plan.infer);
    usleep(2000);
    job_stop(&job);
    ck_assert_uint_ge(job.times.started - job.times.whole, 2000000);
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

/* An inflated body has its length, a plan knows its cost and the length of the
 * reply, which is what is left in the end. */
UNIT_TEST(job_cost_is_of_the_steps_that_follow)
{
    static const uint64_t costs[] = {[JOB_PREPARE] = 1000 + 10 * 1000,
                                     [JOB_EXECUTE] = 7 + 10 * 400,
                                     [JOB_DEFLATE] = 10 * 23};

    job.reply_coding = job.body_coding = CODING_GZIP;
    job.request.body_len = 1000;
    job.plan =
        (struct api_plan){.cost_ns = 7, .memory = 500, .scratch_bytes = 100};
    job.reply.piece_count = 2;
    job.reply.pieces[0].len = 20;
    job.reply.pieces[1].len = 3;
    for (job.step = JOB_PREPARE; job.step < JOB_DONE; job.step++)
        ck_assert_uint_eq(job_cost_ns(&job), costs[job.step]);
    ck_assert_uint_eq(job_cost_ns(&job), 0);
}

UNIT_TEST(job_error_tells_what_is_used_up)
{
    context.budget.addresses.limit = 1000;
    ck_assert(!job_fail_reservation(&job, LEASE_BUSY, 7, "it"));
    expect_error(503, "\"it needs 7 bytes, but max-inflight-bytes, 65536, is "
                      "used up: try again\"");
    ck_assert(!job_fail_reservation(&job, LEASE_ADDRESS, 7, "it"));
    expect_error(503, "\"it needs 7 bytes, but max-inflight-bytes-per-address, "
                      "1000, is used up: try again\"");
    ck_assert(!job_fail_reservation(&job, LEASE_NEVER, 7, "it"));
    context.budget.addresses.limit = 0;
    ck_assert_int_eq(job.rejection, METRICS_INFLIGHT_BYTES);
    job_fail_late(&job);
    ck_assert_int_eq(job.rejection, -1);
    ck_assert(!job_fail_memory(&job, "it"));
    expect_error(503, "\"no memory for it: try again\"");
    ck_assert_int_eq(job.rejection, METRICS_INFLIGHT_BYTES);
}

static void print(FILE *out, const struct job *of, const void *add)
{
    ck_assert_ptr_eq(of, &job);
    fputs("text", out);
    fputs(add, out);
}

UNIT_TEST(job_reply_is_a_text)
{
    job_reply_text(&job, print, "s", "text/plain", "it");
    ck_assert_int_eq(job.reply.status, 200);
    ck_assert_str_eq(job.reply.content_type, "text/plain");
    ck_assert_int_eq(job.reply.piece_count, 1);
    ck_assert_uint_eq(job.reply.pieces[0].len, 5);
    ck_assert_mem_eq(job.reply.pieces[0].data, "texts", 5);
}

static const atomic_bool never;
static unsigned char text[TEXT], coded[TEXT], again[TEXT];

/* Has the job a body of gzip that becomes `len` bytes, and a budget for it.
 * Its bytes have four random bits each. */
static void set_coded(size_t len)
{
    const struct api_piece piece = {text, len};
    uint32_t state = 1;

    for (size_t i = 0; i < len; i++) {
        state = state * 1664525 + 1013904223;
        text[i] = (unsigned char)(state >> 28);
    }
    budget_init(&context.budget, 32 * BUDGET, 0);
    options.http_max_input_size = (int64_t)len;
    job.body_coding = CODING_GZIP;
    job.request.body = coded;
    job.request.body_len =
        content_coding_gzip(&piece, 1, coded, sizeof(coded), &never);
    ck_assert_uint_gt(job.request.body_len, 0);
}

static const size_t lens[] = {8191, 2, 8192, 8193, 16384, 131073, TEXT};

LOOP_TEST(job_inflates_up_to_its_limit, COUNT(lens))
{
    static const char *const names[] = {"http-max-input-size",
                                        "the limit of this route", "x"};
    size_t len = lens[_i];
    char part[200];

    set_coded(len);
    job.body_limit = len; /* is no less */
    ck_assert(job_inflate(&job));
    ck_assert_uint_eq(job.request.body_len, len);
    ck_assert_mem_eq(job.request.body, text, len);
    ck_assert_uint_le(job.inflated_size, len + 1);
    ck_assert_uint_ge(job.inflated_size, len);
    ck_assert_uint_eq(job.reserved, job.inflated_size + INFLATER_STATE);
    job_clear(&job);
    ck_assert_uint_eq(lease.held, 0);
    set_coded(len);
    job.body_limit = len - 1;
    if (_i % 3 == 0)
        options.http_max_input_size--; /* is the same */
    job.limit_name = _i % 3 == 1 ? NULL : names[2];
    ck_assert(!job_inflate(&job));
    sprintf(part, "\"the gzip body becomes more than the %zu bytes of %s\"",
            len - 1, names[_i % 3]);
    expect_error(413, part);
    ck_assert_int_eq(job.rejection, METRICS_BODY_TOO_LARGE);
    ck_assert(!job.reply.malformed);
}

UNIT_TEST(job_body_may_be_damaged)
{
    set_coded(20000);
    job.request.body_len--;
    ck_assert(!job_inflate(&job));
    expect_error(400, "\"the gzip body is cut off\"");
    ck_assert_int_eq(job.rejection, -1);
    ck_assert(job.reply.malformed);
    job_clear(&job);
    job.body_coding = CODING_DEFLATE;
    job.request.body_len = (size_t)UINT32_MAX + 1;
    ck_assert(!job_inflate(&job));
    expect_error(413, "\"the deflate body has 4 GiB or more\"");
    ck_assert_int_eq(job.rejection, METRICS_BODY_TOO_LARGE);
    job_clear(&job);
    job.body_coding = CODING_GZIP;
    ck_assert(job_inflate(&job)); /* an empty body has no coding */
    ck_assert_uint_eq(job.reserved, 0);
}

static const struct {
    int status;
    size_t len;
    size_t budget; /* bytes */
    bool cancelled, coded;
} replies[] = {
    {200, 5000, 1 << 20, false, true},        {299, TEXT, 1 << 20, false, true},
    {300, 5000, 1 << 20, false, false},       {200, 0, 1 << 20, false, false},
    {200, 5000, BUDGET, false, false},        {200, 5000, 1 << 20, true, false},
    {200, UINT32_MAX, SIZE_MAX, false, false}}; /* zlib's most */

LOOP_TEST(job_compresses_what_is_no_error, COUNT(replies))
{
    size_t len = replies[_i].len, size = content_coding_bound(len), wanted;
    struct api_reply *reply = &job.reply;
    const struct api_reply before = {
        .status = replies[_i].status,
        .piece_count = len > 0 ? 2 : 0,
        .pieces = {{text, 1}, {text + 1, len - 1}}};

    set_coded(TEXT);
    budget_init(&context.budget, replies[_i].budget, 0);
    *reply = before;
    job_deflate(&job); /* none is wanted */
    ck_assert(!job.coded);
    job.reply_coding = CODING_GZIP;
    atomic_store(&job.cancel, replies[_i].cancelled);
    job_deflate(&job);
    ck_assert_int_eq(job.coded, replies[_i].coded);
    ck_assert_int_eq(reply->status, before.status);
    ck_assert_int_eq(job.rejection, -1);
    if (!replies[_i].coded) {
        ck_assert_int_eq(reply->piece_count, before.piece_count);
        ck_assert_uint_eq(api_reply_bytes(reply), len);
        ck_assert_uint_eq(job.reserved,
                          replies[_i].cancelled ? size + DEFLATER_STATE : 0);
        return;
    }
    wanted = content_coding_gzip(before.pieces, 2, again, TEXT, &never);
    ck_assert_int_eq(reply->piece_count, 1);
    ck_assert_uint_eq(reply->pieces[0].len, wanted);
    ck_assert_mem_eq(reply->pieces[0].data, again, wanted);
    ck_assert_uint_eq(job.reserved, size + DEFLATER_STATE);
}

UNIT_TEST(job_leaves_no_memory_behind)
{
    static const char models[] =
        "{\"models\":[{\"name\":\"a\",\"op\":\"openvino.Reverse\"}]}";
    struct heap_watch watch = {.times = 100, .room = 50 * 32};
    struct status st;

    while (heap_goes_on(&watch)) {
        set_coded(20000);
        ck_assert(!job_run(&job, 0)); /* inflates a part */
        job_clear(&job);
        job_case_set_request(&job, "");
        job.reply_coding = CODING_GZIP;
        ck_assert(job_run(&job, UINT64_MAX));
        ck_assert(job.coded);
        job_clear(&job);
        job_case_set_request(&job, "");
        ck_assert(!job_run(&job, 0));
        ck_assert(!job_run(&job, 0)); /* has a plan */
        job.models = api_models_read(models, strlen(models), NULL, &st);
        ck_assert_ptr_nonnull(job.models);
        job_reply_text(&job, print, "s", "text/plain", "it");
        job_fail(&job, 400, -1, "first");
        job_fail(&job, 400, -1, "%d behind %s", 2, job.reply.error);
        ck_assert_str_eq(job.reply.error, "2 behind first");
        job_clear(&job);
    }
    ck_assert_uint_eq(lease.held, 0);
}

FIXTURE(set_up, tear_down)
