/* The line of a request whose reply is a fault of ours, in the log. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/http/http_exchange.h"
#include "tests/unit.h"

enum { REQUESTS = 3 * LOG_LIMIT_PER_SECOND };

/* The parts of a daemon that an exchange looks at, and the log as a file. */
static struct service service;
static struct loop_context loop;
static struct options options;
static struct log writer;
static max_align_t engine[256]; /* one whose connection has sent nothing */
static struct connection_list list;
static const struct protocol protocol;
static const struct listener_profile profile;
static struct loop_port port = {
    .protocol = &protocol, .profile = &profile, .list = &list};
static struct connection_state state;
static uv_loop_t uv;
static FILE *file;

static int64_t one_second(void)
{
    return 1000;
}

static void set_up(void)
{
    struct status st;

    file = tmpfile();
    ck_assert_ptr_nonnull(file);
    log_init(&writer, fileno(file), LOG_INFO, false);
    writer.now_ms = one_second;
    options = (struct options){.max_inflight_bytes = 1 << 20};
    ck_assert(job_context_init(&service.jobs, &options, &writer, &st));
    loop = (struct loop_context){.service = &service, .uv = &uv};
    list.loop = &loop;
    for (int i = 0; i < CONNECTION_STAGES; i++)
        TAILQ_INIT(&list.queues[i]);
    connection_state_init(&state, &port, &(struct peer){.port = 1});
    state.engine = (struct engine_connection *)(void *)engine;
}

static void tear_down(void)
{
    job_context_free(&service.jobs);
    fclose(file);
}

/* Ends a request whose client has left before the reply. */
static void fail_one(void)
{
    struct http_exchange http;

    http_exchange_init(&http, &state);
    exchange_open(&http.exchange);
    http.has_headers = true;
    http.exchange.task.job.reply.status = 500;
    http_exchange_close(&http, false);
}

/* Lines of the log with `text`. */
static int count(const char *text)
{
    char line[LOG_LINE_SIZE];
    int found = 0;

    rewind(file);
    while (fgets(line, sizeof(line), file))
        found += strstr(line, text) != NULL;
    return found;
}

UNIT_TEST(fault_is_logged_when_the_client_has_left)
{
    fail_one();
    ck_assert_int_eq(count(" error request "), 1);
    ck_assert_int_eq(count(" status=500 "), 1);
}

UNIT_TEST(fault_is_held_back_only_without_the_access_log)
{
    for (int i = 0; i < REQUESTS; i++)
        fail_one();
    ck_assert_int_eq(count(" status=500 "), LOG_LIMIT_PER_SECOND);
    options.access_log = true;
    for (int i = 0; i < REQUESTS; i++)
        fail_one();
    ck_assert_int_eq(count(" status=500 "), LOG_LIMIT_PER_SECOND + REQUESTS);
}

UNIT_TEST(fault_is_logged_as_another_line_where_errors_are_off)
{
    options.access_log = true;
    atomic_store(&writer.levels, 1u << LOG_INFO);
    fail_one();
    ck_assert_int_eq(count(" info request "), 1);
    ck_assert_int_eq(count(" status=500 "), 1);
}

FIXTURE(set_up, tear_down)
