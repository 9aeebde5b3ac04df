#include "server/http/http_exchange.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "kernels/core/require.h"
#include "server/base/clock.h"
#include "server/message/origin.h"
#include "server/message/reply.h"
#include "server/routes/server_routes.h"
#include "server/work/content_coding.h"

/* Bytes of a refused body that are dropped as they come: that costs less than
 * the new connection that the client would need. */
enum { DROPPED_BODY = 4 << 20 };

static_assert((int)CONNECTION_COST_POOL <= (int)CONNECTION_COST_ALLOWANCE,
              "a query is no longer than the allowance of its connection");

static const struct options *options_of(const struct http_exchange *http)
{
    return http->exchange.task.job.context->options;
}

/* The reply. */

enum { VARIES_SIZE = 48 };

/* Texts that are made for the headers of a reply. */
struct header_texts {
    char timing[MODEL_TIMES_SIZE], varies[VARIES_SIZE];
};

/* NULL: the reply has no such header. */
static const char *print_timing(const struct http_exchange *http, char *text)
{
    if (http->line.route.id != API_ROUTE_INFER ||
        !options_of(http)->server_timing)
        return NULL;
    model_times_print(&http->exchange.task.job.times, text);
    return *text ? text : NULL;
}

/* The headers of the request on which a reply depends. */
static const char *print_varies(const struct http_exchange *http, char *text)
{
    bool is_error = http->exchange.task.job.reply.status >= 300;
    const char *form =
        !is_error && http->headers.accept_encoding ? "Accept-Encoding" : NULL;

    if (!origin_varies(options_of(http)->cors_allow_origin))
        return form;
    snprintf(text, VARIES_SIZE, "%s%sOrigin", form ? form : "",
             form ? ", " : "");
    return text;
}

static struct reply_headers make_headers(const struct http_exchange *http,
                                         bool close, struct header_texts *texts)
{
    const struct job *job = &http->exchange.task.job;
    const struct headers *headers = &http->headers;

    return (struct reply_headers){
        .request_id = headers->request_id,
        .close = close,
        .encoding = job->coded ? content_coding_name(job->reply_coding) : NULL,
        .varies = print_varies(http, texts->varies),
        .origin = origin_allowed(options_of(http)->cors_allow_origin, headers),
        .requested = headers->cors_headers,
        .timing = print_timing(http, texts->timing),
    };
}

/* True if the connection ends with this reply. */
static bool is_last(const struct connection_state *state)
{
    return service_get_phase(state->loop->service) >= SERVICE_DRAINING ||
           connection_state_is_old(state);
}

/* False without memory. */
static bool answer(struct http_exchange *http)
{
    struct connection_state *state = http->connection;
    struct job *job = &http->exchange.task.job;
    struct reply_headers headers;
    struct header_texts texts;

    REQUIRE(job->reply.status != 0 && !http->early);
    connection_state_enter(state, CONNECTION_SEND);
    http->sent = true;
    job->times.sent = clock_now_ns();
    headers = make_headers(http, is_last(state), &texts);
    return reply_send(&job->reply, &headers, state->engine);
}

/* Of a request that is refused before it is whole: the headers that there are,
 * and for the page's origin, if that is not there, the only one that is
 * allowed. */
static void read_some_headers(struct http_exchange *http)
{
    headers_read(&http->headers, http->connection->engine);
    if (!http->headers.origin)
        http->headers.origin = origin_only(options_of(http)->cors_allow_origin);
}

/* libmicrohttpd drops line and headers of a request whose trailers have filled
 * its memory when its own answer needs space. Only a chunked one has trailers,
 * and the header that says so tells whether it was dropped. */
static void forget_what_was_dropped(struct http_exchange *http)
{
    if (!http->headers.chunked)
        return;
    headers_read(&http->headers, http->connection->engine);
    if (http->headers.chunked)
        return;
    read_some_headers(http);
    http->line.method = http->line.path = NULL;
}

void http_exchange_send_early(struct http_exchange *http)
{
    const struct api_reply *reply = &http->exchange.task.job.reply;
    const char *method;
    struct header_texts texts;
    struct reply_headers headers;

    REQUIRE(reply->status != 0 && !http->early);
    exchange_open(&http->exchange); /* a deadline may precede its line */
    if (http->has_headers)
        forget_what_was_dropped(http);
    else
        read_some_headers(http);
    headers = make_headers(http, true, &texts);
    method = http->line.method;
    http->early = true;
    reply_send_early(reply, &headers, method && strcmp(method, "HEAD") == 0,
                     http->connection->engine);
}

void http_exchange_on_unparsed(void *context, int status, const char *text,
                               bool head_only)
{
    struct http_exchange *http = context;
    struct job *job = &http->exchange.task.job;

    if (http->early)
        return;
    forget_what_was_dropped(http);
    if (head_only && !http->line.method)
        http->line.method = "HEAD";
    if (job->reply.status == 0 || http->sent)
        job_fail(job, status, -1, "%s", text);
    http_exchange_send_early(http);
}

/* The worker's waiter. */

/* The engine calls http_exchange_on_end() again. */
static void resume(void *context)
{
    struct http_exchange *http = context;

    engine_resume(http->connection->engine);
}

static bool has_gone(void *context)
{
    struct http_exchange *http = context;

    return engine_has_ended(http->connection->engine, true);
}

static const struct worker_waiter waiter = {resume, has_gone};

void http_exchange_init(struct http_exchange *http,
                        struct connection_state *state)
{
    *http = (struct http_exchange){.connection = state};
    exchange_init(&http->exchange, state->loop, &state->peer, &waiter, http);
    body_init(&http->body, &state->loop->service->jobs, &http->exchange.lease);
}

/* The head of a request. */

void http_exchange_on_request_line(void *context, const char *uri)
{
    struct http_exchange *http = context;

    exchange_open(&http->exchange);
    request_line_open(&http->line, uri);
    /* Never refused. */
    lease_take(&http->exchange.lease, http->line.query_size);
    if (http->connection->stage == CONNECTION_IDLE)
        connection_state_enter(http->connection, CONNECTION_HEADERS);
}

static bool find_route(struct http_exchange *http)
{
    struct request_line *line = &http->line;
    struct job *job = &http->exchange.task.job;
    const struct listener_profile *profile = http->connection->loop->profile;
    bool found = api_route(line->method, line->path, &line->route, &job->reply);

    if (profile->serves && !profile->serves(&line->route)) {
        job_fail(job, 404, -1, "%s", profile->not_served);
        return false;
    }
    if (!found)
        origin_preflight(options_of(http)->cors_allow_origin, &http->headers,
                         &job->reply);
    return found;
}

static bool check_headers(struct http_exchange *http)
{
    struct job *job = &http->exchange.task.job;
    struct status st;
    int status = headers_audit(&http->headers, &st);

    if (status != 0)
        return job_fail(job, status, -1, "%s", st.message);
    return !http->line.query_lost || job_fail_memory(job, "the query");
}

static void read_codings(struct http_exchange *http)
{
    const struct headers *headers = &http->headers;
    struct job *job = &http->exchange.task.job;
    int64_t option = options_of(http)->http_response_compression;
    enum content_coding_policy policy = (enum content_coding_policy)option;

    /* Browsers list several codings. Tensors rarely shrink; texts do. */
    if (policy == CODING_AUTO && api_route_is_text(http->line.route.id))
        policy = CODING_ALWAYS;
    content_coding_parse(headers->content_encoding, &job->body_coding);
    job->reply_coding = content_coding_choose(headers->accept_encoding, policy);
}

static void refuse_body(struct http_exchange *http, enum body_verdict verdict,
                        uint64_t len)
{
    struct job *job = &http->exchange.task.job;
    const char *name;
    size_t limit = job_body_limit(job, &name);

    if (verdict == BODY_NO_MEMORY) {
        job_fail_memory(job, "the body");
    } else if (verdict != BODY_TOO_LARGE) {
        job_fail_reservation(job, (enum lease_verdict)verdict, (size_t)len,
                             "the body");
    } else {
        job_fail(job, 413, METRICS_BODY_TOO_LARGE,
                 "the body has %s%llu bytes, but %s is %zu",
                 http->headers.chunked ? "at least " : "",
                 (unsigned long long)len, name, limit);
    }
}

static bool admit_body(struct http_exchange *http)
{
    const struct headers *headers = &http->headers;
    struct job *job = &http->exchange.task.job;
    bool is_infer = http->line.route.id == API_ROUTE_INFER;
    enum body_verdict verdict;
    const char *name;

    /* Other requests are answered on the loop's thread, and name a few things
     * at most. */
    if (!is_infer)
        job->body_limit = EXCHANGE_SMALL;
    http->body.limit = job_body_limit(job, &name);
    verdict = body_announce(&http->body, headers->content_length);
    if (verdict != BODY_OK) {
        refuse_body(http, verdict, headers->content_length);
        return false;
    }
    job->request.inference_header = headers->inference_header;
    job->request.content_type = headers->content_type;
    job->request.accept = headers->accept;
    return !is_infer ||
           exchange_may_wait(&http->exchange, headers->content_length);
}

/* In the documented order: the route, the page that sends the request, the
 * client, the headers, the body. */
static bool admit(struct http_exchange *http)
{
    struct request_line *line = &http->line;

    if (!find_route(http) ||
        !origin_may_send(options_of(http)->cors_allow_origin, &http->headers,
                         line->method, &http->exchange.task.job.reply) ||
        !exchange_is_allowed(&http->exchange, line->route.id, line->method,
                             engine_find_header, http->connection->engine) ||
        !check_headers(http))
        return false;
    read_codings(http);
    return admit_body(http);
}

/* True if `rest` more bytes of a refused body are dropped and the reply is sent
 * after them. */
static bool drop_body(struct http_exchange *http, uint64_t rest)
{
    const struct headers *headers = &http->headers;

    if (http->exchange.task.job.reply.status == 413 || headers->chunked ||
        headers->expect || rest > DROPPED_BODY)
        return false;
    engine_drop_body(http->connection->engine, (size_t)rest);
    return true;
}

static bool refuse(struct http_exchange *http)
{
    const struct headers *headers = &http->headers;

    if (!headers_have_body(headers) || drop_body(http, headers->content_length))
        return true;
    /* A client that expects "100 Continue" has sent nothing yet: the engine
     * sends the reply and closes the connection. */
    if (headers->expect)
        return answer(http);
    http_exchange_send_early(http);
    return false;
}

bool http_exchange_on_headers(void *context, const char *url,
                              const char *method)
{
    struct http_exchange *http = context;
    struct connection_state *state = http->connection;

    /* What had arrived before a deadline ended the connection. */
    if (http->early)
        return false;
    http->has_headers = true;
    http->exchange.task.job.times.arrived = clock_now_ns();
    request_line_read(&http->line, method, url);
    headers_read(&http->headers, state->engine);
    if (headers_have_body(&http->headers))
        connection_state_enter(state, CONNECTION_BODY);
    if (!admit(http))
        return refuse(http);
    if (http->line.route.id == API_ROUTE_INFER &&
        !http->headers.content_encoding)
        body_scan(&http->body);
    engine_receive_body(state->engine, http->body.announced);
    return true;
}

/* The body. */

unsigned char *http_exchange_reserve_body(void *context, size_t *size)
{
    struct http_exchange *http = context;

    return body_reserve(&http->body, size);
}

void http_exchange_on_body_received(void *context, size_t size)
{
    struct http_exchange *http = context;

    body_received(&http->body, size);
}

/* Refuses a body of which `len` bytes have come. */
static void refuse_rest(struct http_exchange *http, enum body_verdict verdict,
                        size_t len)
{
    engine_receive_stop(http->connection->engine);
    refuse_body(http, verdict, len);
    body_free(&http->body);
    if (!drop_body(http, http->headers.content_length - len))
        http_exchange_send_early(http);
}

bool http_exchange_on_body(void *context, const char *data, size_t len)
{
    struct http_exchange *http = context;
    enum body_verdict verdict;

    if (http->exchange.task.job.reply.status == 0) {
        verdict = body_append(&http->body, data, len);
        if (verdict != BODY_OK)
            refuse_rest(http, verdict, http->body.len + len);
    }
    return !http->early;
}

bool http_exchange_on_end(void *context)
{
    struct http_exchange *http = context;
    struct worker_task *task = &http->exchange.task;
    struct api_request *request = &task->job.request;

    if (http->early)
        return false;
    if (task->job.reply.status != 0) /* refused, or resumed */
        return answer(http);
    exchange_prepare(&http->exchange, &http->body);
    request->method = http->line.method;
    request->path = http->line.path;
    request->query = http->line.query;
    request->route = &http->line.route;
    if (server_routes_answer(&task->job, &http->line.route) ||
        !worker_start(task))
        return answer(http);
    engine_suspend(http->connection->engine);
    connection_state_enter(http->connection, CONNECTION_WORK);
    return true;
}

/* The end of a request. */

static void report(struct http_exchange *http, bool whole)
{
    const struct request_line *line = &http->line;
    const struct headers *headers = &http->headers;
    bool is_sent = http->early || (whole && http->sent);
    struct metrics_request end = {
        .route = line->route.label,
        .status = http->early || http->has_headers
                      ? exchange_status(&http->exchange, is_sent)
                      : 0,
        .received = http->body.len,
        .sent = engine_sent_body(http->connection->engine),
    };

    if (exchange_count(&http->exchange, &end))
        exchange_log(&http->exchange, &end,
                     &(struct exchange_head){
                         .method = line->method ? line->method : "",
                         .path = line->path ? line->path : "",
                         .id = headers->request_id,
                         .traceparent = headers->traceparent,
                         .user_agent = headers->user_agent,
                     });
}

void http_exchange_close(void *context, bool whole)
{
    struct http_exchange *http = context;

    /* An early error may precede the trailers. */
    forget_what_was_dropped(http);
    report(http, whole);
    lease_give(&http->exchange.lease, http->line.query_size);
    request_line_clear(&http->line);
    body_free(&http->body);
    exchange_close(&http->exchange);
    REQUIRE_WITH(http->exchange.lease.held == 0, "%zu bytes",
                 http->exchange.lease.held);
    http->headers = (struct headers){.request_id = NULL};
    http->has_headers = http->sent = http->early = false;
    connection_state_enter(http->connection, CONNECTION_IDLE);
}

void http_exchange_lose(struct http_exchange *http)
{
    http->line.method = http->line.path = NULL;
    http->headers = (struct headers){.request_id = NULL};
    http_exchange_close(http, false);
}
