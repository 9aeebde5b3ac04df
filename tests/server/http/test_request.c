/* What becomes of one request of HTTP/1: its reply, and what is counted of it.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/count.h"
#include "tests/fuzz/machine.h"
#include "tests/server/http/http_case.h"
#include "tests/suite.h"

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

START_TEST(a_success_has_a_last_stage)
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
END_TEST

START_TEST(bytes_of_bodies_are_counted)
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
END_TEST

static uint64_t count_of(int status)
{
    uint64_t count = 0;
    int code = 0;

    while (metrics_codes[code] != status)
        code++;
    for (int route = 0; route < METRICS_ROUTES; route++)
        count += counter_value(&metrics()->requests[route][code]);
    return count;
}

/* Its client has gone, but nobody knows from what. */
START_TEST(a_request_without_whole_headers_has_no_status)
{
    http_case_start(WORLD_OPEN);
    http_case_ask(0, CASE_HALF);
    client_close(&http_case.clients[0]);
    http_case_wait(200);
    ck_assert_uint_eq(http_case_open(), 0);
    ck_assert_uint_eq(count_of(0), 1);
    ck_assert_uint_eq(count_of(METRICS_CLIENT_GONE), 0);
}
END_TEST

START_TEST(a_job_whose_client_has_gone_is_cancelled)
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
    ck_assert_uint_eq(count_of(METRICS_CLIENT_GONE), 1);
}
END_TEST

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

START_TEST(a_reply_names_the_headers_that_have_chosen_its_form)
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
END_TEST

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

START_TEST(a_short_body_of_a_refused_request_is_dropped)
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
END_TEST

START_TEST(a_connection_goes_on_behind_a_dropped_body)
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
END_TEST

/* One that is refused for its length has no more than was announced. */
START_TEST(a_chunked_body_is_refused_by_what_has_come)
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
END_TEST

#define TRACE "0af7651916cd43dd8448eb211c80319c"

START_TEST(a_line_has_what_the_client_says)
{
    char line[LOG_LINE_SIZE] = "";
    FILE *file = tmpfile();

    ck_assert_ptr_nonnull(file);
    http_case_start(WORLD_OPEN);
    http_case.world->log.fd = fileno(file);
    http_case_ask(0, "GET /v2 HTTP/1.1\r\nHost: f\r\nX-Request-Id: my-id\r\n"
                     "User-Agent: my-agent\r\ntraceparent: 00-" TRACE
                     "-b7ad6b7169203331-01\r\n\r\n");
    rewind(file);
    ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
    ck_assert_ptr_nonnull(strstr(line, " id=my-id "));
    ck_assert_ptr_nonnull(strstr(line, " method=GET path=/v2 status=200 "));
    ck_assert_ptr_nonnull(strstr(line, " trace_id=" TRACE " "));
    ck_assert_ptr_nonnull(strstr(line, " user_agent=my-agent\n"));
    fclose(file);
}
END_TEST

static const struct {
    const char *request;
    const char *parts[6]; /* of its line; the last is NULL */
} lines[] = {
    {CASE_INFER,
     {" status=200 received=142 sent=", " us=", " queue_us=", " read_us=",
      " model=onnx.ReverseSequence"}},
    {CASE_INFER, {" move_us=", " write_us="}},
    {CASE_POST "Content-Length: 1048577\r\n\r\n",
     {" status=413 received=0 sent=", " us=", " reason=body_too_large ",
      " error=\"the body has 1048577 bytes, but "}},
};

START_TEST(a_line_says_how_the_request_ended)
{
    char line[LOG_LINE_SIZE] = "";
    FILE *file = tmpfile();

    ck_assert_ptr_nonnull(file);
    http_case_start(WORLD_OPEN);
    http_case.world->log.fd = fileno(file);
    http_case_ask(0, lines[_i].request);
    rewind(file);
    ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
    for (int i = 0; lines[_i].parts[i]; i++)
        ck_assert_msg(strstr(line, lines[_i].parts[i]) != NULL, "%s", line);
    fclose(file);
}
END_TEST

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
START_TEST(a_request_is_pending_until_its_end)
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
END_TEST

/* A number of a line. */
static uint64_t number_of(const char *line, const char *name)
{
    const char *at = strstr(line, name);

    ck_assert_msg(at != NULL, "%s", line);
    return strtoull(at + strlen(name), NULL, 10);
}

START_TEST(times_of_a_line_are_microseconds)
{
    char line[LOG_LINE_SIZE] = "";
    FILE *file = tmpfile();

    ck_assert_ptr_nonnull(file);
    http_case_start(WORLD_OPEN);
    http_case.world->log.fd = fileno(file);
    http_case.world->options.inline_limit = 0;
    http_case.world->service.workers.queue.settings.max_delay_ns = 0;
    http_case_ask(0, CASE_INFER);
    http_case_wait(500);
    ck_assert(world_work(http_case.world));
    http_case_turn();
    rewind(file);
    ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
    ck_assert_uint_ge(number_of(line, " us="), 500000);
    ck_assert_uint_lt(number_of(line, " us="), 600000);
    ck_assert_uint_ge(number_of(line, " queue_us="), 500000);
    ck_assert_uint_lt(number_of(line, " queue_us="), 600000);
    fclose(file);
}
END_TEST

enum { MEMORY = 30 << 10, SPACE = 2 << 10, STEP = 16 };

/* Without memory for the headers of a reply, another one tells so. */
START_TEST(a_reply_that_has_no_space_is_refused)
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
END_TEST

SUITE_WITH("request", http_case_set_up, http_case_tear_down,
           TEST(a_success_has_a_last_stage), TEST(bytes_of_bodies_are_counted),
           TEST(a_request_without_whole_headers_has_no_status),
           TEST(a_job_whose_client_has_gone_is_cancelled),
           LOOP(a_reply_names_the_headers_that_have_chosen_its_form,
                COUNT(forms)),
           LOOP(a_short_body_of_a_refused_request_is_dropped, COUNT(bodies)),
           TEST(a_connection_goes_on_behind_a_dropped_body),
           TEST(a_chunked_body_is_refused_by_what_has_come),
           LOOP(a_request_is_pending_until_its_end, 2),
           TEST(times_of_a_line_are_microseconds),
           TEST(a_line_has_what_the_client_says),
           LOOP(a_line_says_how_the_request_ended, COUNT(lines)),
           TEST(a_reply_that_has_no_space_is_refused))
