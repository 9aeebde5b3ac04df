/* What becomes of one request of HTTP/1: its reply, and what is counted of it.
 */
#include <stdlib.h>
#include <string.h>

#include "server/limits/connection_cost.h"
#include "tests/server/http/http_case.h"
#include "tests/server/log_text.h"
#include "tests/unit.h"

enum { MEMORY = 30 << 10, SPACE = 2 << 10, STEP = 16 };
enum { QUERY = 8 << 10, LONG_BODY = 4100000, FIRST_PART = 300000 };

static const struct metrics *metrics(void)
{
    return &http_case.world->loop.context.metrics;
}

static uint64_t number_of(const char *text, const char *name)
{
    const char *at = strstr(text, name);

    ck_assert_msg(at != NULL, "%s", text);
    return strtoull(at + strlen(name), NULL, 10);
}

static uint64_t length_of(const char *reply)
{
    return number_of(reply, "\r\nContent-Length: ");
}

UNIT_TEST(bytes_of_bodies_and_the_last_stage_are_counted)
{
    const struct model_counts *counts;
    const char *reply;
    uint64_t successes = 0;

    http_case_ask(0, CASE_METADATA);
    reply = http_case_receive(0);
    ck_assert_uint_eq(counter_value(&metrics()->received), 0);
    ck_assert_uint_eq(counter_value(&metrics()->sent), length_of(reply));
    http_case_ask(1, CASE_INFER);
    ck_assert_uint_eq(counter_value(&metrics()->received), CASE_INFER_BODY);
    ck_assert_uint_eq(counter_value(&metrics()->sent),
                      length_of(reply) + length_of(http_case_receive(1)));
    for (int i = 0; i < API_MODEL_SLOTS; i++) {
        counts = &metrics()->models[i];
        if (counter_value(&counts->success) == 0)
            continue;
        successes++;
        ck_assert_uint_gt(counter_value(&counts->success_ns), 0);
        ck_assert_uint_gt(counter_value(&counts->stages[MODEL_OUTPUT].sum_ns),
                          0);
    }
    ck_assert_uint_eq(successes, 1);
}

/* Its client has gone, but nobody knows from what. */
UNIT_TEST(a_request_without_whole_headers_has_no_status)
{
    http_case_ask(0, CASE_HALF);
    client_close(&http_case.clients[0]);
    http_case_wait(200);
    ck_assert_uint_eq(http_case_open(), 0);
    ck_assert_uint_eq(http_case_count(0), 1);
    ck_assert_uint_eq(http_case_count(METRICS_CLIENT_GONE), 0);
}

UNIT_TEST(a_job_whose_client_has_gone_is_cancelled)
{
    const struct worker_task *task;

    http_case.world->options.inline_limit = 0;
    http_case.world->service.workers.queue.settings.max_delay_ns = 0;
    http_case_ask(0, CASE_INFER);
    http_case_wait(200);
    task = LIST_FIRST(&http_case.world->loop.context.workers.tasks);
    ck_assert(!atomic_load(&task->job.cancel));
    client_close(&http_case.clients[0]);
    http_case_wait(200);
    ck_assert(atomic_load(&task->job.cancel));
    http_case_work();
    ck_assert_uint_eq(http_case_open(), 0);
    ck_assert_uint_eq(http_case_count(METRICS_CLIENT_GONE), 1);
}

#define CLOSE "|\r\nConnection: close\r\n"
#define NOTHING "POST /nothing HTTP/1.1\r\nHost: f\r\n"

/* A refused request, of whose body nothing has come. */
static const struct {
    const char *head;
    const char *parts; /* of the reply; NULL: it comes behind the body */
} bodies[] = {
    {NOTHING "Content-Length: 1000\r\n\r\n", NULL},
    {NOTHING "Content-Length: 4194304\r\n\r\n", NULL},
    {NOTHING "Content-Length: 4194305\r\n\r\n", " 404 " CLOSE},
    {NOTHING "Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n",
     " 404 " CLOSE},
    {NOTHING "Transfer-Encoding: chunked\r\n\r\n", " 404 " CLOSE},
    {CASE_POST "Content-Length: 1048577\r\n\r\n", " 413 " CLOSE},
    {"POST /v2/repository/index HTTP/1.1\r\nHost: f\r\n"
     "Content-Length: 65537\r\n\r\n",
     " 413 " CLOSE},
};

LOOP_TEST(a_short_body_of_a_refused_request_is_dropped, COUNT(bodies))
{
    http_case_ask(0, bodies[_i].head);
    http_case_wait(500);
    if (bodies[_i].parts)
        http_case_gets(0, bodies[_i].parts);
    else
        ck_assert_str_eq(http_case_receive(0), "");
    ck_assert_uint_eq(http_case_rejected(METRICS_BODY_TOO_LARGE), _i > 4);
}

UNIT_TEST(a_connection_goes_on_behind_a_dropped_body)
{
    static char body[1001];

    memset(body, ' ', sizeof(body) - 1);
    http_case_ask(0, bodies[0].head);
    http_case_say(0, body);
    http_case_gets(0, " 404 ");
    http_case_say(0, CASE_METADATA);
    http_case_gets(0, " 200 OK");
}

/* One that is refused for its length has no more than was announced. */
UNIT_TEST(a_chunked_body_is_refused_by_what_has_come)
{
    static char half[2049];

    http_case_start(WORLD_NARROW);
    memset(half, ' ', sizeof(half) - 1);
    http_case_ask(0, CASE_POST "Transfer-Encoding: chunked\r\n\r\n1001\r\n");
    http_case_say(0, half);
    http_case_say(0, half);
    http_case_say(0, " ");
    http_case_gets(0, " 413 |at least 4097 bytes");
    ck_assert_uint_eq(http_case_rejected(METRICS_BODY_TOO_LARGE), 1);
}

#define TRACE "0af7651916cd43dd8448eb211c80319c"

static const struct {
    const char *request;
    const char *parts; /* of its line */
} lines[] = {
    {"GET /v2 HTTP/1.1\r\nHost: f\r\nX-Request-Id: my-id\r\n"
     "User-Agent: my-agent\r\ntraceparent: 00-" TRACE
     "-b7ad6b7169203331-01\r\n\r\n",
     " id=my-id | method=GET path=/v2 status=200 | trace_id=" TRACE
     " | user_agent=my-agent\n"},
    {CASE_INFER,
     " client=[::1]:1 | status=200 received=142 sent=| us=| queue_us=| read_us="
     "| move_us=| write_us=| model=onnx.ReverseSequence"},
    {CASE_POST "Content-Length: 1048577\r\n\r\n",
     " status=413 received=0 sent=| us=| reason=body_too_large "
     "| error=\"the body has 1048577 bytes, but "},
};

LOOP_TEST(a_line_says_how_the_request_ended, COUNT(lines))
{
    http_case_ask(0, lines[_i].request);
    http_case_has(http_case_line(" request "), lines[_i].parts);
}

#define UNKNOWN "GET /nothing HTTP/1.1\r\n" HEAD

static const struct {
    bool access_log;
    enum log_level level; /* of the log */
    const char *request;
    const char *parts; /* of the log */
} levels[] = {
    {true, LOG_INFO, CASE_METADATA, " info request "},
    {true, LOG_DEBUG, CASE_METADATA, " info request "},
    {true, LOG_WARNING, CASE_METADATA, "! request "},
    {false, LOG_INFO, CASE_METADATA, "! request "},
    {false, LOG_DEBUG, CASE_METADATA, "! request "},
    {false, LOG_INFO, UNKNOWN, "! request "},
    {false, LOG_DEBUG, UNKNOWN, " debug request "},
};

LOOP_TEST(a_line_has_the_level_of_its_reason, COUNT(levels))
{
    http_case.world->options.access_log = levels[_i].access_log;
    atomic_store(&http_case.world->log.levels, (2u << levels[_i].level) - 1);
    http_case_ask(0, levels[_i].request);
    http_case_has(http_case_line(" request "), levels[_i].parts);
}

/* Of all models together: inferences that wait, and that were rejected. */
static void expect_sums(uint64_t pending, uint64_t rejected)
{
    for (int i = 0; i < API_MODEL_SLOTS; i++) {
        pending -= counter_value(&metrics()->models[i].pending);
        rejected -=
            counter_value(&metrics()->models[i].failures[MODEL_REJECTED]);
    }
    ck_assert_uint_eq(pending, 0);
    ck_assert_uint_eq(rejected, 0);
}

/* Whether a worker answers it, or it has waited for too long. */
LOOP_TEST(a_request_is_pending_until_its_end, 2)
{
    bool late = _i > 0;

    http_case.world->options.inline_limit = 0;
    http_case_ask(0, CASE_INFER);
    expect_sums(1, 0);
    if (late)
        http_case_wait(1000);
    else
        ck_assert(world_work(http_case.world));
    http_case_turn();
    http_case_gets(0, late ? " 503 " : " 200 OK");
    expect_sums(0, late);
    ck_assert_uint_eq(http_case_rejected(METRICS_QUEUE_DELAY), late);
}

UNIT_TEST(times_of_a_line_are_microseconds)
{
    const char *line;

    http_case.world->options.inline_limit = 0;
    http_case.world->service.workers.queue.settings.max_delay_ns = 0;
    http_case_ask(0, CASE_INFER);
    http_case_wait(500);
    http_case_work();
    line = http_case_line(" request ");
    ck_assert_uint_ge(number_of(line, " us="), 500000);
    ck_assert_uint_lt(number_of(line, " us="), 600000);
    ck_assert_uint_ge(number_of(line, " queue_us="), 500000);
    ck_assert_uint_lt(number_of(line, " queue_us="), 600000);
}

/* Ends client 0, which may connect again. */
static void leave(void)
{
    client_close(&http_case.clients[0]);
    client_free(&http_case.clients[0]);
    http_case_turn();
}

/* A request whose head of `len` bytes leaves little memory for a reply's. */
static const char *long_request(const char *line, size_t len, const char *body)
{
    static char request[2 * MEMORY];
    int used = snprintf(request, sizeof(request),
                        "%s\r\nHost: f\r\nContent-Length: %zu\r\nX: ", line,
                        strlen(body));

    memset(request + used, 'x', len - (size_t)used);
    sprintf(request + len, "\r\n\r\n%s", body);
    return request;
}

/* Without memory for the headers of a reply, another one tells so. */
UNIT_TEST(a_reply_that_has_no_space_is_refused)
{
    const char *reply;
    int refused = 0, served = 0;

    for (size_t len = MEMORY - SPACE; len < MEMORY; len += STEP) {
        http_case_ask(0, long_request("GET /v2 HTTP/1.1", len, ""));
        while (http_case_in_stage(CONNECTION_HEADERS) > 0)
            http_case_turn();
        reply = http_case_receive(0);
        served += strstr(reply, " 200 OK") != NULL;
        refused += strstr(reply, " 431 ") != NULL;
        http_case_has(reply, strstr(reply, " 200 OK")
                                 ? "!\r\nConnection: close\r\n"
                                 : " 431 |the headers are too long");
        leave();
    }
    ck_assert_int_gt(served, 0);
    ck_assert_int_gt(refused, SPACE / STEP / 8);
}

/* Its client would not read it. */
UNIT_TEST(a_reply_without_space_is_not_refused_to_a_client_that_has_gone)
{
    const char *line = "POST /v2/models/onnx.ReverseSequence/infer HTTP/1.1";
    uint64_t refused;
    int gone = 0;

    http_case.world->options.inline_limit = 0;
    for (size_t len = MEMORY - SPACE; len < MEMORY; len += STEP) {
        http_case_connect(0, false);
        http_case_send_all(0, long_request(line, len, DOCUMENT));
        while (http_case_in_stage(CONNECTION_HEADERS) > 0)
            http_case_turn();
        gone += http_case_in_stage(CONNECTION_WORK);
        refused = http_case_count(431);
        client_close(&http_case.clients[0]);
        http_case_work();
        client_free(&http_case.clients[0]);
        http_case_wait(500);
        ck_assert_uint_eq(http_case_count(431), refused);
    }
    ck_assert_int_gt(gone, SPACE / STEP / 2);
}

static bool lacks_memory; /* for a query */

char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = lacks_memory ? NULL : malloc(size);

    return copy ? memcpy(copy, text, size) : NULL;
}

/* It may ask for something else than the path alone. */
UNIT_TEST(a_request_whose_query_is_lost_is_refused)
{
    lacks_memory = true;
    http_case_ask(0, "GET /v2?a=1 HTTP/1.1\r\n" HEAD CASE_METADATA);
    lacks_memory = false;
    /* The next one is served. */
    http_case_gets(0, " 503 |no memory for the query| 200 OK");
}

static size_t leased(void)
{
    return budget_requests(&http_case.world->service.jobs.budget);
}

/* Query and body have the connection's allowance together. */
LOOP_TEST(a_query_counts_as_memory_of_its_request, 2)
{
    static char request[QUERY + 400], body[CONNECTION_COST_ALLOWANCE];
    int at;

    memset(body, ' ', sizeof(body) - QUERY);
    at = sprintf(request, "POST /v2/models/onnx.ReverseSequence/infer?");
    memset(request + at, 'q', _i > 0 ? QUERY : 1);
    sprintf(request + strlen(request),
            " HTTP/1.1\r\nHost: f\r\nContent-Length: %d\r\n\r\n",
            (int)sizeof(body) - QUERY / 2);
    http_case_connect(0, false);
    http_case_send_all(0, request);
    http_case_send_all(0, body);
    ck_assert_int_eq(leased() > 0, _i);
}

/* The rest is dropped in front of the reply, but what has come is not kept. */
UNIT_TEST(a_body_that_is_refused_in_its_middle_gives_its_memory_back)
{
    static char body[LONG_BODY + 1];
    struct budget *budget = &http_case.world->service.jobs.budget;

    http_case.world->options.http_max_input_size = LONG_BODY;
    memset(body, ' ', LONG_BODY);
    http_case_ask(0, CASE_POST "Content-Length: 4100000\r\n\r\n");
    body[FIRST_PART] = '\0';
    http_case_send_all(0, body);
    ck_assert_uint_gt(leased(), 0);
    budget->limit = atomic_load(&budget->leased);
    http_case_send_all(0, body);
    ck_assert_uint_eq(leased(), 0);
    ck_assert_str_eq(http_case_receive(0), "");
    body[FIRST_PART] = ' ';
    http_case_send_all(0, body + 2 * FIRST_PART);
    http_case_gets(0, " 503 |!\r\nConnection: close\r\n");
    ck_assert_uint_eq(http_case_rejected(METRICS_INFLIGHT_BYTES), 1);
}

/* More than libmicrohttpd has memory for: it drops what came before, if its own
 * answer has no space. */
static const char *long_trailers(size_t len)
{
    static char text[3 * MEMORY];
    char *at = text + sprintf(text, "0\r\n");

    while (at < text + 2 * MEMORY)
        at += sprintf(at, "A: %0*d\r\n", (int)len, 0);
    strcpy(at, "\r\n");
    return text;
}

#define CHUNKED "Host: f\r\nTransfer-Encoding: chunked\r\n\r\n"

static const struct {
    const char *head, *kept, *dropped; /* what a line says */
    bool has_body;                     /* the reply */
} long_ones[] = {
    {"POST /v2/repository/index HTTP/1.1\r\n" CHUNKED,
     " method=POST path=/v2/repository/index ", " method=\"\" path=\"\" ",
     true},
    {"HEAD /v2 HTTP/1.1\r\n" CHUNKED, " method=HEAD path=/v2 ",
     " method=HEAD path=\"\" ", false},
};

/* Its line does not show what lies there now, and HEAD is HEAD. */
LOOP_TEST(a_request_that_was_dropped_has_no_name, COUNT(long_ones))
{
    const char *reply, *logged;
    int dropped, asked = 0;

    for (size_t len = 20; len < 400; len += 10, asked++) {
        http_case_ask(0, long_ones[_i].head);
        http_case_send_all(0, long_trailers(len));
        http_case_wait(500);
        reply = http_case_receive(0);
        ck_assert_ptr_nonnull(strstr(reply, " 431 "));
        ck_assert_int_eq(strchr(reply, '{') != NULL, long_ones[_i].has_body);
        leave();
        http_case_wait(500);
    }
    logged = log_text_take(&http_case.world->log);
    dropped = log_text_count(logged, long_ones[_i].dropped);
    ck_assert_int_gt(dropped, 0);
    ck_assert_int_eq(log_text_count(logged, long_ones[_i].kept) + dropped,
                     asked);
}

FIXTURE(http_case_set_up, http_case_tear_down)
