/* The line of a request whose reply is a fault of ours, in the log. */
#include <stddef.h>

#include "server/http/http_exchange.h"
#include "tests/server/log_text.h"
#include "tests/unit.h"

enum { REQUESTS = 3 * LOG_LIMIT_PER_SECOND };

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

static int64_t one_second(void)
{
    return 1000;
}

static void set_up(void)
{
    struct status st;

    log_text_start(&writer, LOG_INFO);
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
}

/* So many requests fail whose client has left before the reply, of which so
 * many lines say so. */
static void expect(int requests, int lines, const char *kind)
{
    struct http_exchange http;
    const char *text;

    for (int i = 0; i < requests; i++) {
        http_exchange_init(&http, &state);
        exchange_open(&http.exchange);
        http.has_headers = true;
        http.exchange.task.job.reply.status = 500;
        http_exchange_close(&http, false);
    }
    text = log_text_take(&writer);
    ck_assert_int_eq(log_text_count(text, kind), lines);
    ck_assert_int_eq(log_text_count(text, " status=500 "), lines);
}

UNIT_TEST(fault_is_logged_when_the_client_has_left)
{
    expect(1, 1, " error request ");
}

UNIT_TEST(fault_is_held_back_only_without_the_access_log)
{
    expect(REQUESTS, LOG_LIMIT_PER_SECOND, " request ");
    options.access_log = true;
    expect(REQUESTS, REQUESTS, " request ");
}

UNIT_TEST(fault_is_logged_as_another_line_where_errors_are_off)
{
    options.access_log = true;
    atomic_store(&writer.levels, 1u << LOG_INFO);
    expect(1, 1, " info request ");
}

FIXTURE(set_up, tear_down)
