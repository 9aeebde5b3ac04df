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

static void post(const char *body)
{
    struct api_route route;
    struct api_reply reply = {.status = 0};

    ck_assert(api_route("POST", "/v2/logging", &route, &reply));
    job.request = (struct api_request){.method = "POST",
                                       .path = "/v2/logging",
                                       .body = (unsigned char *)(uintptr_t)body,
                                       .body_len = strlen(body)};
    ck_assert(server_routes_answer(&job, &route));
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

FIXTURE(set_up, NULL)
