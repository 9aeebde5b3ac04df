#include <fcntl.h>

#include "tests/server/routes/route_case.h"
#include "tests/unit.h"

enum {
    ERRORS = 1 << LOG_ERROR,
    WARNINGS = 1 << LOG_WARNING,
    INFOS = 1 << LOG_INFO,
    DEBUGS = 1 << LOG_DEBUG,
};

static const struct log *const line_log = &route_case.log;

static void set_up(void)
{
    route_case_open();
    log_init(&route_case.log, open("/dev/null", O_WRONLY), LOG_INFO, false);
}

static int post(const char *body)
{
    int status;

    route_case_ask("/v2/logging", body, "POST", &status);
    return status;
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
    ck_assert_int_eq(post(changes[_i].body), changes[_i].status);
    ck_assert_uint_eq(atomic_load(&line_log->levels), changes[_i].levels);
    ck_assert_uint_eq(atomic_load(&line_log->verbose), changes[_i].verbose);
}

UNIT_TEST(logging_sets_the_form_of_lines)
{
    post("{\"log_format\":\"json\"}");
    ck_assert(atomic_load(&line_log->json));
    post("{}");
    ck_assert(atomic_load(&line_log->json));
    post("{\"log_format\":\"text\"}");
    ck_assert(!atomic_load(&line_log->json));
}

/* {"log_info":false} as gzip. */
static const char coded[] =
    "\037\213\010\000\000\000\000\000\002\003\253\126\312\311\117\217"
    "\317\314\113\313\127\262\112\113\314\051\116\255\005\000\163\145"
    "\270\322\022\000\000\000";

UNIT_TEST(logging_reads_a_compressed_body)
{
    struct job *job = &route_case.job;
    struct budget *budget = &route_case.context.budget;
    struct api_route route;
    struct lease lease;

    route_case.options.http_max_input_size = 100;
    budget_init(budget, 1 << 20, 0);
    lease_init(&lease, budget, NULL);
    job->lease = &lease;
    job->body_coding = CODING_GZIP;
    job->request.method = "POST";
    job->request.body = (unsigned char *)(uintptr_t)coded;
    job->request.body_len = sizeof(coded) - 1;
    ck_assert(api_route("POST", "/v2/logging", &route, &job->reply));
    ck_assert(server_routes_answer(job, &route));
    ck_assert_int_eq(job->reply.status, 200);
    ck_assert_uint_eq(atomic_load(&line_log->levels), ERRORS | WARNINGS);
    job_clear(job);
    ck_assert_uint_eq(atomic_load(&budget->leased), 0);
}

FIXTURE(set_up, NULL)
