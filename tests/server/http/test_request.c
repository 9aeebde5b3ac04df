/* What becomes of one request of HTTP/1: its reply, and what is counted of it.
 */
#include <stdlib.h>
#include <string.h>

#include "server/limits/connection_cost.h"
#include "tests/fuzz/machine.h"
#include "tests/server/http/http_case.h"
#include "tests/unit.h"

static const struct metrics *metrics(void)
{
    return &http_case.world->loop.context.metrics;
}

/* Bytes of the body that a head announces. */
static uint64_t length_of(const char *reply)
{
    const char *at = strstr(reply, "\r\nContent-Length: ");

    ck_assert_ptr_nonnull(at);
    return strtoull(at + 18, NULL, 10);
}

UNIT_TEST(a_success_has_a_last_stage)
{
    const struct model_counts *counts;
    uint64_t successes = 0;

    http_case_start(WORLD_OPEN);
    http_case_ask(0, CASE_INFER);
    ck_assert_ptr_nonnull(strstr(http_case_receive(0), " 200 OK"));
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

UNIT_TEST(bytes_of_bodies_are_counted)
{
    const char *reply;

    http_case_start(WORLD_OPEN);
    http_case_ask(0, CASE_METADATA);
    reply = http_case_receive(0);
    ck_assert_uint_eq(counter_value(&metrics()->received), 0);
    ck_assert_uint_eq(counter_value(&metrics()->sent), length_of(reply));
    http_case_ask(1, CASE_INFER);
    ck_assert_uint_eq(counter_value(&metrics()->received), CASE_INFER_BODY);
    ck_assert_uint_eq(counter_value(&metrics()->sent),
                      length_of(reply) + length_of(http_case_receive(1)));
}

/* Its client has gone, but nobody knows from what. */
UNIT_TEST(a_request_without_whole_headers_has_no_status)
{
    http_case_start(WORLD_OPEN);
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

    http_case_start(WORLD_OPEN);
    http_case.world->options.inline_limit = 0;
    http_case.world->service.workers.queue.settings.max_delay_ns = 0;
    http_case_ask(0, CASE_INFER);
    http_case_wait(200);
    task = LIST_FIRST(&http_case.world->loop.context.workers.tasks);
    ck_assert(!atomic_load(&task->job.cancel));
    client_close(&http_case.clients[0]);
    http_case_wait(200);
    ck_assert(atomic_load(&task->job.cancel));
    ck_assert(world_work(http_case.world));
    http_case_turn();
    ck_assert_uint_eq(http_case_open(), 0);
    ck_assert_uint_eq(http_case_count(METRICS_CLIENT_GONE), 1);
}

#define FORM "Accept-Encoding: gzip\r\n"
/* As browsers do, whether or not it is worth while. */
#define SEVERAL "Accept-Encoding: gzip, deflate, br\r\n"

static const struct {
    const char *request;
    bool varies, coded;
} forms[] = {
    {"GET /v2 HTTP/1.1\r\n" FORM, true, true},
    {"GET /metrics HTTP/1.1\r\n" FORM, true, true},
    {"GET /metrics HTTP/1.1\r\n", false, false},
    {"GET /metrics HTTP/1.1\r\n" SEVERAL, true, true},
    {"GET /nothing HTTP/1.1\r\n" FORM, false, false},
};

LOOP_TEST(a_reply_names_the_headers_that_have_chosen_its_form, COUNT(forms))
{
    const char *reply;

    http_case_start(WORLD_OPEN);
    http_case_connect(0);
    http_case_send(0, forms[_i].request);
    http_case_send(0, "Host: f\r\n\r\n");
    http_case_turn();
    while (world_work(http_case.world)) /* compresses */
        continue;
    http_case_turn();
    reply = http_case_receive(0);
    ck_assert_int_eq(!!strstr(reply, "\r\nVary: Accept-Encoding\r\n"),
                     forms[_i].varies);
    ck_assert_int_eq(!!strstr(reply, "\r\nContent-Encoding: gzip\r\n"),
                     forms[_i].coded);
}

#define NOTHING "POST /nothing HTTP/1.1\r\nHost: f\r\n"

/* A refused request, of whose body nothing has come. */
static const struct {
    const char *head;
    int status;
    bool dropped; /* its body, in front of the reply; else it is not awaited */
} bodies[] = {
    {NOTHING "Content-Length: 1000\r\n\r\n", 404, true},
    {NOTHING "Content-Length: 4194304\r\n\r\n", 404, true},
    {NOTHING "Content-Length: 4194305\r\n\r\n", 404, false},
    {NOTHING "Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n", 404,
     false},
    {NOTHING "Transfer-Encoding: chunked\r\n\r\n", 404, false},
    {CASE_POST "Content-Length: 1048577\r\n\r\n", 413, false},
    {"POST /v2/repository/index HTTP/1.1\r\nHost: f\r\n"
     "Content-Length: 65537\r\n\r\n",
     413, false},
};

LOOP_TEST(a_short_body_of_a_refused_request_is_dropped, COUNT(bodies))
{
    char status[8];
    const char *reply;

    http_case_start(WORLD_OPEN);
    http_case_ask(0, bodies[_i].head);
    http_case_wait(500);
    reply = http_case_receive(0);
    sprintf(status, " %d ", bodies[_i].status);
    ck_assert_int_eq(*reply == '\0', bodies[_i].dropped);
    if (!bodies[_i].dropped) {
        ck_assert_ptr_nonnull(strstr(reply, status));
        ck_assert_ptr_nonnull(strstr(reply, "\r\nConnection: close\r\n"));
    }
    ck_assert_uint_eq(http_case_rejected(METRICS_BODY_TOO_LARGE),
                      bodies[_i].status == 413);
}

UNIT_TEST(a_connection_goes_on_behind_a_dropped_body)
{
    static char body[1001];

    http_case_start(WORLD_OPEN);
    memset(body, ' ', sizeof(body) - 1);
    http_case_ask(0, bodies[0].head);
    http_case_send(0, body);
    http_case_turn();
    ck_assert_ptr_nonnull(strstr(http_case_receive(0), " 404 "));
    http_case_send(0, CASE_METADATA);
    http_case_turn();
    ck_assert_ptr_nonnull(strstr(http_case_receive(0), " 200 OK"));
}

/* One that is refused for its length has no more than was announced. */
UNIT_TEST(a_chunked_body_is_refused_by_what_has_come)
{
    static char chunk[4098];
    const char *reply;

    http_case_start(WORLD_NARROW);
    memset(chunk, ' ', sizeof(chunk) - 1);
    http_case_ask(0, CASE_POST "Transfer-Encoding: chunked\r\n\r\n1001\r\n");
    http_case_send(0, chunk);
    http_case_turn();
    reply = http_case_receive(0);
    ck_assert_ptr_nonnull(strstr(reply, " 413 "));
    ck_assert_ptr_nonnull(strstr(reply, "at least 4097 bytes"));
    ck_assert_uint_eq(http_case_rejected(METRICS_BODY_TOO_LARGE), 1);
}

#define TRACE "0af7651916cd43dd8448eb211c80319c"

UNIT_TEST(a_line_has_what_the_client_says)
{
    const char *line;

    http_case_start(WORLD_OPEN);
    http_case_ask(0, "GET /v2 HTTP/1.1\r\nHost: f\r\nX-Request-Id: my-id\r\n"
                     "User-Agent: my-agent\r\ntraceparent: 00-" TRACE
                     "-b7ad6b7169203331-01\r\n\r\n");
    line = http_case_line(" request ");
    ck_assert_ptr_nonnull(strstr(line, " id=my-id "));
    ck_assert_ptr_nonnull(strstr(line, " method=GET path=/v2 status=200 "));
    ck_assert_ptr_nonnull(strstr(line, " trace_id=" TRACE " "));
    ck_assert_ptr_nonnull(strstr(line, " user_agent=my-agent\n"));
}

static const struct {
    const char *request;
    const char *parts[6]; /* of its line; the last is NULL */
} lines[] = {
    {CASE_INFER,
     {" status=200 received=142 sent=", " us=", " queue_us=", " read_us=",
      " model=onnx.ReverseSequence"}},
    {CASE_INFER, {" client=[::1]:1 ", " move_us=", " write_us="}},
    {CASE_POST "Content-Length: 1048577\r\n\r\n",
     {" status=413 received=0 sent=", " us=", " reason=body_too_large ",
      " error=\"the body has 1048577 bytes, but "}},
};

LOOP_TEST(a_line_says_how_the_request_ended, COUNT(lines))
{
    const char *line;

    http_case_start(WORLD_OPEN);
    http_case_ask(0, lines[_i].request);
    line = http_case_line(" request ");
    for (int i = 0; lines[_i].parts[i]; i++)
        ck_assert_msg(strstr(line, lines[_i].parts[i]) != NULL, "%s", line);
}

#define UNKNOWN "GET /nothing HTTP/1.1\r\n" HEAD

static const struct {
    bool access_log;
    enum log_level level; /* of the log */
    const char *request;
    const char *line; /* its begin; NULL: none */
} levels[] = {
    {true, LOG_INFO, CASE_METADATA, " info request "},
    {true, LOG_DEBUG, CASE_METADATA, " info request "},
    {true, LOG_WARNING, CASE_METADATA, NULL},
    {false, LOG_INFO, CASE_METADATA, NULL},
    {false, LOG_DEBUG, CASE_METADATA, NULL},
    {false, LOG_INFO, UNKNOWN, NULL},
    {false, LOG_DEBUG, UNKNOWN, " debug request "},
};

LOOP_TEST(a_line_has_the_level_of_its_reason, COUNT(levels))
{
    const char *line;

    http_case_start(WORLD_OPEN);
    http_case.world->options.access_log = levels[_i].access_log;
    atomic_store(&http_case.world->log.levels, (2u << levels[_i].level) - 1);
    http_case_ask(0, levels[_i].request);
    line = http_case_line(" request ");
    if (levels[_i].line)
        ck_assert_msg(strstr(line, levels[_i].line) != NULL, "%s", line);
    else
        ck_assert_str_eq(line, "");
}

static uint64_t sum_of_pending(void)
{
    uint64_t sum = 0;

    for (int i = 0; i < API_MODEL_SLOTS; i++)
        sum += counter_value(&metrics()->models[i].pending);
    return sum;
}

static uint64_t count_rejected_inferences(void)
{
    uint64_t sum = 0;

    for (int i = 0; i < API_MODEL_SLOTS; i++)
        sum += counter_value(&metrics()->models[i].failures[MODEL_REJECTED]);
    return sum;
}

/* Whether a worker answers it, or it has waited for too long. */
LOOP_TEST(a_request_is_pending_until_its_end, 2)
{
    bool late = _i > 0;

    http_case_start(WORLD_OPEN);
    http_case.world->options.inline_limit = 0;
    http_case_ask(0, CASE_INFER);
    ck_assert_uint_eq(sum_of_pending(), 1);
    if (late)
        http_case_wait(1000);
    else
        ck_assert(world_work(http_case.world));
    http_case_turn();
    ck_assert_ptr_nonnull(
        strstr(http_case_receive(0), late ? " 503 " : " 200 OK"));
    ck_assert_uint_eq(sum_of_pending(), 0);
    ck_assert_uint_eq(count_rejected_inferences(), late);
    ck_assert_uint_eq(http_case_rejected(METRICS_QUEUE_DELAY), late);
}

/* A number of a line. */
static uint64_t number_of(const char *line, const char *name)
{
    const char *at = strstr(line, name);

    ck_assert_msg(at != NULL, "%s", line);
    return strtoull(at + strlen(name), NULL, 10);
}

UNIT_TEST(times_of_a_line_are_microseconds)
{
    const char *line;

    http_case_start(WORLD_OPEN);
    http_case.world->options.inline_limit = 0;
    http_case.world->service.workers.queue.settings.max_delay_ns = 0;
    http_case_ask(0, CASE_INFER);
    http_case_wait(500);
    ck_assert(world_work(http_case.world));
    http_case_turn();
    line = http_case_line(" request ");
    ck_assert_uint_ge(number_of(line, " us="), 500000);
    ck_assert_uint_lt(number_of(line, " us="), 600000);
    ck_assert_uint_ge(number_of(line, " queue_us="), 500000);
    ck_assert_uint_lt(number_of(line, " queue_us="), 600000);
}

enum { MEMORY = 30 << 10, SPACE = 2 << 10, STEP = 16 };

/* Without memory for the headers of a reply, another one tells so. */
UNIT_TEST(a_reply_that_has_no_space_is_refused)
{
    static const char head[] = "GET /v2 HTTP/1.1\r\nHost: f\r\nX: ";
    static char request[sizeof(head) + MEMORY + 8];
    const char *reply;
    int refused = 0, served = 0;

    http_case_start(WORLD_OPEN);
    for (size_t len = MEMORY - SPACE; len < MEMORY; len += STEP) {
        memcpy(request, head, sizeof(head) - 1);
        memset(request + sizeof(head) - 1, 'x', len - sizeof(head));
        strcpy(request + len - 1, "\r\n\r\n");
        http_case_ask(0, request);
        while (http_case_in_stage(CONNECTION_HEADERS) > 0)
            http_case_turn();
        reply = http_case_receive(0);
        if (strstr(reply, " 200 OK")) {
            ck_assert_ptr_null(strstr(reply, "\r\nConnection: close\r\n"));
            served++;
        } else {
            ck_assert_ptr_nonnull(strstr(reply, " 431 "));
            ck_assert_ptr_nonnull(strstr(reply, "the headers are too long"));
            refused++;
        }
        client_close(&http_case.clients[0]);
        client_free(&http_case.clients[0]);
        http_case_turn();
    }
    ck_assert_int_gt(served, 0);
    ck_assert_int_gt(refused, SPACE / STEP / 8);
}

static bool lacks_memory; /* for a query */

/* In the place of libc's. */
char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = lacks_memory ? NULL : malloc(size);

    return copy ? memcpy(copy, text, size) : NULL;
}

/* It may ask for something else than the path alone. */
UNIT_TEST(a_request_whose_query_is_lost_is_refused)
{
    const char *reply;

    http_case_start(WORLD_OPEN);
    lacks_memory = true;
    http_case_ask(0, "GET /v2?a=1 HTTP/1.1\r\n" HEAD CASE_METADATA);
    lacks_memory = false;
    reply = http_case_receive(0);
    ck_assert_ptr_nonnull(strstr(reply, " 503 "));
    ck_assert_ptr_nonnull(strstr(reply, "no memory for the query"));
    ck_assert_ptr_nonnull(strstr(reply, " 200 OK")); /* of the next one */
}

/* By requests. */
static size_t leased(void)
{
    return budget_requests(&http_case.world->service.jobs.budget);
}

enum { QUERY = 8 << 10 };

/* Query and body have the connection's allowance together. */
LOOP_TEST(a_query_counts_as_memory_of_its_request, 2)
{
    static char request[QUERY + 400], body[CONNECTION_COST_ALLOWANCE];
    int at;

    http_case_start(WORLD_OPEN);
    memset(body, ' ', sizeof(body) - QUERY);
    at = sprintf(request, "POST /v2/models/onnx.ReverseSequence/infer?");
    memset(request + at, 'q', _i > 0 ? QUERY : 1);
    sprintf(request + strlen(request),
            " HTTP/1.1\r\nHost: f\r\nContent-Length: %d\r\n\r\n",
            (int)sizeof(body) - QUERY / 2);
    http_case_connect(0);
    http_case_send_all(0, request);
    http_case_send_all(0, body);
    ck_assert_int_eq(leased() > 0, _i);
}

enum { LONG_BODY = 4100000, FIRST_PART = 300000 };

/* The rest is dropped in front of the reply, but what has come is not kept. */
UNIT_TEST(a_body_that_is_refused_in_its_middle_gives_its_memory_back)
{
    static char body[LONG_BODY + 1];
    struct budget *budget;
    const char *reply;

    http_case_start(WORLD_OPEN);
    http_case.world->options.http_max_input_size = LONG_BODY;
    budget = &http_case.world->service.jobs.budget;
    memset(body, ' ', LONG_BODY);
    http_case_ask(0, CASE_POST "Content-Length: 4100000\r\n\r\n");
    http_case.clients[0].to_send = body;
    for (http_case.clients[0].left = FIRST_PART; http_case.clients[0].left > 0;
         http_case_turn())
        client_send(&http_case.clients[0], http_case.clients[0].left);
    ck_assert_uint_gt(leased(), 0);
    budget->limit = atomic_load(&budget->leased);
    http_case.clients[0].left = FIRST_PART;
    while (http_case.clients[0].left > 0) {
        client_send(&http_case.clients[0], http_case.clients[0].left);
        http_case_turn();
    }
    ck_assert_uint_eq(leased(), 0);
    ck_assert_str_eq(http_case_receive(0), "");
    http_case_send_all(0, body + 2 * FIRST_PART);
    reply = http_case_receive(0);
    ck_assert_ptr_nonnull(strstr(reply, " 503 "));
    ck_assert_ptr_null(strstr(reply, "\r\nConnection: close\r\n"));
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
    char line[LOG_LINE_SIZE] = "";
    const char *reply;
    int kept = 0, dropped = 0, asked = 0;

    http_case_start(WORLD_OPEN);
    for (size_t len = 20; len < 400; len += 10, asked++) {
        http_case_ask(0, long_ones[_i].head);
        http_case_send_all(0, long_trailers(len));
        http_case_wait(500);
        reply = http_case_receive(0);
        ck_assert_ptr_nonnull(strstr(reply, " 431 "));
        ck_assert_int_eq(strchr(reply, '{') != NULL, long_ones[_i].has_body);
        client_close(&http_case.clients[0]);
        client_free(&http_case.clients[0]);
        http_case_wait(500);
    }
    rewind(http_case.log);
    while (fgets(line, sizeof(line), http_case.log)) {
        kept += strstr(line, long_ones[_i].kept) != NULL;
        dropped += strstr(line, long_ones[_i].dropped) != NULL;
    }
    ck_assert_int_gt(dropped, 0);
    ck_assert_int_eq(kept + dropped, asked);
}

FIXTURE(http_case_set_up, http_case_tear_down)
