#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "server/routes/server_routes.h"
#include "tests/unit.h"

enum {
    ERRORS = 1 << LOG_ERROR,
    WARNINGS = 1 << LOG_WARNING,
    INFOS = 1 << LOG_INFO,
    DEBUGS = 1 << LOG_DEBUG,
};

static struct log line_log;
static struct job_context context = {.log = &line_log};
static struct job job;

static void set_up(void)
{
    log_init(&line_log, open("/dev/null", O_WRONLY), LOG_INFO, false);
    job_init(&job, &context);
}

static void post_bytes(const char *body, size_t len)
{
    struct api_route route;
    struct api_reply reply = {.status = 0};

    ck_assert(api_route("POST", "/v2/logging", &route, &reply));
    job.request = (struct api_request){.method = "POST",
                                       .path = "/v2/logging",
                                       .body = (unsigned char *)(uintptr_t)body,
                                       .body_len = len};
    ck_assert(server_routes_answer(&job, &route));
}

static void post(const char *body)
{
    post_bytes(body, strlen(body));
}

/* The levels that are logged after a change from errors, warnings and infos. */
static const struct {
    const char *body;
    unsigned levels;
    uint64_t verbose;
    int status;
} changes[] = {
    {"", ERRORS | WARNINGS | INFOS, 0, 200},
    {"{}", ERRORS | WARNINGS | INFOS, 0, 200},
    {"{\"log_error\":false}", WARNINGS | INFOS, 0, 200},
    {"{\"log_warning\":false}", ERRORS | INFOS, 0, 200},
    {"{\"log_info\":false}", ERRORS | WARNINGS, 0, 200},
    {"{\"log_verbose_level\":0}", ERRORS | WARNINGS | INFOS, 0, 200},
    {"{\"log_verbose_level\":1}", ERRORS | WARNINGS | INFOS | DEBUGS, 1, 200},
    {"{\"log_verbose_level\":9}", ERRORS | WARNINGS | INFOS | DEBUGS, 9, 200},
    {"{\"log_error\":false,\"log_warning\":false,\"log_info\":false,"
     "\"log_verbose_level\":2}",
     DEBUGS, 2, 200},
    {"{\"log_info\":false,\"log_error\":7}", ERRORS | WARNINGS | INFOS, 0, 400},
};

LOOP_TEST(logging_sets_each_level, COUNT(changes))
{
    post(changes[_i].body);
    ck_assert_int_eq(job.reply.status, changes[_i].status);
    ck_assert_uint_eq(atomic_load(&line_log.levels), changes[_i].levels);
    ck_assert_uint_eq(atomic_load(&line_log.verbose), changes[_i].verbose);
    api_reply_free(&job.reply);
}

UNIT_TEST(logging_sets_the_form_of_lines)
{
    post("{\"log_format\":\"json\"}");
    ck_assert(atomic_load(&line_log.json));
    api_reply_free(&job.reply);
    post("{\"log_format\":\"text\"}");
    ck_assert(!atomic_load(&line_log.json));
    api_reply_free(&job.reply);
}

UNIT_TEST(logging_keeps_the_form_that_it_started_with)
{
    atomic_store(&line_log.json, true);
    post("{}");
    ck_assert(atomic_load(&line_log.json));
    api_reply_free(&job.reply);
}

/* {"log_info":false} as gzip. */
static const char coded[] =
    "\037\213\010\000\000\000\000\000\002\003\253\126\312\311\117\217"
    "\317\314\113\313\127\262\112\113\314\051\116\255\005\000\163\145"
    "\270\322\022\000\000\000";

UNIT_TEST(logging_reads_a_compressed_body)
{
    static const struct options options = {.http_max_input_size = 100};
    struct lease lease;

    context.options = &options;
    budget_init(&context.budget, 1 << 20, 0);
    lease_init(&lease, &context.budget, NULL);
    job.lease = &lease;
    job.body_coding = CODING_GZIP;
    post_bytes(coded, sizeof(coded) - 1);
    ck_assert_int_eq(job.reply.status, 200);
    ck_assert_uint_eq(atomic_load(&line_log.levels), ERRORS | WARNINGS);
    job_clear(&job);
    ck_assert_uint_eq(atomic_load(&context.budget.leased), 0);
}

FIXTURE(set_up, NULL)
