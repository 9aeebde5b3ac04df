/* How a request of any protocol ends: its status, its counts, its line in the
 * log. */
#include <string.h>

#include "server/exchange/exchange.h"
#include "tests/server/log_text.h"
#include "tests/unit.h"

#define TRACE "4bf92f3577b34da6a3ce929d0e0e4736"
#define PARENT "00-" TRACE "-00f067aa0ba902b7-01"

static struct service service;
static struct loop_context loop;
static struct options options;
static struct log writer;
static struct exchange exchange;
static struct peer peer;

static void set_up(void)
{
    struct status st;

    log_text_start(&writer, LOG_INFO);
    options = (struct options){.max_inflight_bytes = 1 << 20};
    ck_assert(job_context_init(&service.jobs, &options, &writer, &st));
    service.instance = 0xabc;
    loop = (struct loop_context){.service = &service, .index = 2};
    exchange_init(&exchange, &loop, &peer, NULL, NULL);
    exchange_open(&exchange);
}

static void tear_down(void)
{
    exchange_close(&exchange);
    job_context_free(&service.jobs);
}

static const char *line_of(const struct exchange_head *head)
{
    struct metrics_request end = {.status = 200, .received = 3, .sent = 4};

    exchange_log(&exchange, &end, head);
    return log_text_take(&writer);
}

UNIT_TEST(requests_of_a_connection_have_a_number_and_its_address)
{
    uint64_t number = exchange.number;

    ck_assert_uint_gt(number, 0);
    exchange_open(&exchange);
    ck_assert_uint_eq(exchange.number, number);
    exchange_close(&exchange);
    exchange_open(&exchange);
    ck_assert_uint_eq(exchange.number, number + 1);
    /* By it requests take turns in the queue. */
    ck_assert_uint_ne(peer_hash(&peer), 0);
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_eq(exchange.task.item.address, peer_hash(&peer));
        exchange_close(&exchange);
        exchange_open(&exchange);
    }
}

UNIT_TEST(
    a_reply_that_was_not_sent_is_no_status_and_has_a_line_where_it_was_asked_for)
{
    struct metrics_request end = {.status = 200};

    ck_assert_int_eq(exchange_status(&exchange, true), METRICS_CLIENT_GONE);
    exchange.task.job.reply.status = 200;
    ck_assert_int_eq(exchange_status(&exchange, true), 200);
    ck_assert_int_eq(exchange_status(&exchange, false), METRICS_CLIENT_GONE);
    exchange.task.job.reply.status = 500;
    ck_assert_int_eq(exchange_status(&exchange, false), 500);
    ck_assert(!exchange_count(&exchange, &end));
    ck_assert_uint_eq(end.duration_us, 0);
    end.status = 500;
    ck_assert(exchange_count(&exchange, &end));
    end.status = 400;
    exchange.task.job.reply.error = "no";
    ck_assert(!exchange_count(&exchange, &end));
    atomic_fetch_or(&writer.levels, 1u << LOG_DEBUG);
    ck_assert(exchange_count(&exchange, &end));
    options.access_log = true;
    end.status = 200;
    exchange.task.job.reply.error = NULL;
    ck_assert(exchange_count(&exchange, &end));
}

/* Who asks for each line, as access log or by the level, gets each. */
static const struct {
    bool access_log;
    int status;
    bool all;
} floods[] = {{true, 200, true}, {false, 400, true}, {false, 500, false}};

LOOP_TEST(lines_that_nobody_asked_for_are_held_back, COUNT(floods))
{
    enum { LINES = 60 };
    struct metrics_request end = {.status = floods[_i].status};
    struct exchange_head head = {.method = "GET", .path = "/v2"};
    int lines;

    options.access_log = floods[_i].access_log;
    atomic_fetch_or(&writer.levels, 1u << LOG_DEBUG);
    exchange.task.job.reply.error = "no";
    for (int i = 0; i < LINES; i++)
        exchange_log(&exchange, &end, &head);
    lines = log_text_count(log_text_take(&writer), " method=GET ");
    ck_assert_int_eq(lines == LINES, floods[_i].all);
    ck_assert_int_gt(lines, 0);
}

UNIT_TEST(a_line_has_what_is_safe_of_the_head)
{
    struct exchange_head head = {
        .method = "POST", .path = "/v2", .id = "mine", .traceparent = PARENT};
    const char *line;

    options.access_log = true;
    line = line_of(&head);
    ck_assert_ptr_nonnull(strstr(line, " id=mine "));
    ck_assert_ptr_nonnull(strstr(line, " method=POST path=/v2 status=200 "
                                       "received=3 sent=4 us=0"));
    ck_assert_ptr_nonnull(strstr(line, " trace_id=" TRACE "\n"));
    ck_assert_ptr_null(strstr(line, "user_agent"));
    head.id = "two words";
    head.traceparent = "00-" TRACE;
    head.user_agent = "agent";
    line = line_of(&head);
    ck_assert_ptr_nonnull(strstr(line, " id=00000abc-2-"));
    ck_assert_ptr_null(strstr(line, "trace_id"));
    ck_assert_ptr_nonnull(strstr(line, " user_agent=agent\n"));
}

UNIT_TEST(a_line_has_a_bounded_part_of_a_text)
{
    static char text[1000];
    struct exchange_head head = {text, text, text, NULL, text};

    memset(text, 'z', sizeof(text) - 1);
    options.access_log = true;
    ck_assert_int_eq(log_text_count(line_of(&head), "z"), 32 + 256 + 200);
}

FIXTURE(set_up, tear_down)
