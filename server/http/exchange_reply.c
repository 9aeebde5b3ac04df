#include <string.h>

#include "server/clock/clock.h"
#include "server/http/exchange.h"
#include "server/jobs/content_coding.h"
#include "server/message/origin.h"
#include "server/metrics/server_timing.h"

void exchange_account(struct exchange *exchange)
{
    size_t now = exchange->lease.held;

    if (now == exchange->accounted)
        return;
    /* The difference may be negative: unsigned numbers wrap around. */
    atomic_fetch_add_explicit(&exchange->connection->loop->bytes,
                              now - exchange->accounted, memory_order_relaxed);
    exchange->accounted = now;
}

void exchange_span(const struct exchange *exchange, char id[SPAN_ID_SIZE])
{
    const struct loop_context *loop = exchange->connection->loop;
    uint64_t series = (uint64_t)loop->service->instance << 32;

    trace_context_span(series | (unsigned)loop->index, exchange->number, id);
}

/* Texts that are made for the headers of a reply. */
struct texts {
    char timing[SERVER_TIMING_SIZE], trace[TRACE_RESPONSE_SIZE];
};

/* NULL: the reply has no such header. */
static const char *print_timing(const struct exchange *exchange, char *text)
{
    const struct job *job = &exchange->task.job;

    if (exchange->line.route.id != API_ROUTE_INFER ||
        !job->context->options->server_timing)
        return NULL;
    server_timing_print(&job->times, text);
    return *text ? text : NULL;
}

static const char *print_trace(const struct exchange *exchange, char *text)
{
    const char *parent = exchange->headers.traceparent;
    char span[SPAN_ID_SIZE];

    if (!parent)
        return NULL;
    exchange_span(exchange, span);
    trace_context_response(parent, span, text);
    return text;
}

/* The headers of the request on which a reply depends, if it is no error. */
static const char *find_varies(const struct exchange *exchange)
{
    bool coded = exchange->headers.accept_encoding != NULL;

    if (exchange->task.job.reply.status >= 300)
        return NULL;
    if (exchange->line.route.id == API_ROUTE_METRICS)
        return coded ? "Accept, Accept-Encoding" : "Accept";
    return coded ? "Accept-Encoding" : NULL;
}

static struct reply_headers make_headers(const struct exchange *exchange,
                                         bool close, struct texts *texts)
{
    const struct job *job = &exchange->task.job;
    const struct headers *headers = &exchange->headers;

    return (struct reply_headers){
        .request_id = headers->request_id,
        .close = close,
        .encoding = job->coded ? content_coding_name(job->reply_coding) : NULL,
        .varies = find_varies(exchange),
        .origin =
            origin_allowed(job->context->options->cors_allow_origin, headers),
        .requested = headers->cors_headers,
        .timing = print_timing(exchange, texts->timing),
        .trace = print_trace(exchange, texts->trace),
    };
}

/* True if the connection ends with this reply. */
static bool is_last(const struct connection_state *state)
{
    return service_get_phase(state->loop->service) >= SERVICE_DRAINING ||
           (state->age_end_ms > 0 &&
            loop_context_now_ms(state->loop) >= state->age_end_ms);
}

enum engine_verdict exchange_send(struct exchange *exchange)
{
    struct connection_state *state = exchange->connection;
    bool close = is_last(state);
    struct reply_headers headers;
    struct texts texts;

    exchange_account(exchange);
    connection_state_enter(state, CONNECTION_SEND);
    exchange->sent = true;
    exchange->task.job.times.sent = clock_now_ns();
    headers = make_headers(exchange, close, &texts);
    return reply_send(&exchange->task.job.reply, &headers, state->engine)
               ? ENGINE_CONTINUE
               : ENGINE_NO_MEMORY;
}

void exchange_send_early(struct exchange *exchange)
{
    const struct api_reply *reply = &exchange->task.job.reply;
    const char *method = exchange->line.method;
    struct reply_headers headers;
    struct texts texts;

    if (!exchange->open) /* a deadline may precede the request line */
        exchange_open(exchange);
    headers = make_headers(exchange, true, &texts);
    exchange->early_status = reply->status;
    reply_send_early(reply, &headers, method && strcmp(method, "HEAD") == 0,
                     exchange->connection->engine);
}

/* The result of the request: a status, also of a refusal by libmicrohttpd
 * itself; 0 when it broke off before its headers were whole. Our own fault is
 * one whether or not the client waited for the reply. */
static int find_status(const struct exchange *exchange, bool whole)
{
    const struct engine_connection *engine = exchange->connection->engine;
    int reply = exchange->task.job.reply.status, status;

    if (exchange->early_status)
        return exchange->early_status;
    if (reply == 500 || (whole && exchange->sent))
        return reply;
    status = exchange->sent ? 0 : engine_sent_status(engine);
    if (status > 0)
        return status;
    return exchange->has_headers ? METRICS_CLIENT_GONE : 0;
}

/* Without the I/O adapter nobody counts bytes: of a reply that was sent whole
 * it is the body. */
static uint64_t find_sent(const struct exchange *exchange, bool whole)
{
    const char *method = exchange->line.method;
    uint64_t bytes;

    if (engine_sent_body(exchange->connection->engine, &bytes))
        return bytes;
    if (method && strcmp(method, "HEAD") == 0)
        return 0;
    return exchange->early_status || (whole && exchange->sent)
               ? api_reply_bytes(&exchange->task.job.reply)
               : 0;
}

/* Of an inference; other routes have no exemplars. A trace that nobody has
 * recorded leads nowhere. */
static const char *find_trace(const struct exchange *exchange)
{
    const char *parent = exchange->headers.traceparent;

    return parent && trace_context_is_sampled(parent) &&
                   exchange->line.route.id == API_ROUTE_INFER
               ? trace_context_id(parent)
               : NULL;
}

/* A reply that is a refusal itself has its reason already. */
void exchange_reject(struct exchange *exchange, enum metrics_rejection reason)
{
    struct job *job = &exchange->task.job;

    if (job->rejection < 0)
        job->rejection = (int)reason;
    else
        metrics_count_rejection(&exchange->connection->loop->metrics, reason);
}

static void count(struct exchange *exchange, const struct exchange_end *end)
{
    const struct job *job = &exchange->task.job;
    struct metrics *metrics = &exchange->connection->loop->metrics;
    struct metrics_request request = {
        .route = exchange->line.route.label,
        .status = end->status,
        .duration_us = end->duration_us,
        .received = exchange->body.len,
        .sent = end->sent,
        .model = job->model,
        .times = job->times,
        .trace_id = find_trace(exchange),
    };

    metrics_count_request(metrics, &request);
    if (job->rejection >= 0)
        metrics_count_rejection(metrics,
                                (enum metrics_rejection)job->rejection);
}

static void report(struct exchange *exchange, bool whole)
{
    const struct job *job = &exchange->task.job;
    struct exchange_end end = {
        .status = find_status(exchange, whole),
        .sent = find_sent(exchange, whole),
    };

    if (exchange->has_headers)
        end.duration_us = (clock_now_ns() - job->times.arrived) / 1000;
    count(exchange, &end);
    if (end.status == 500 || job->context->options->access_log)
        exchange_log(exchange, &end);
}

void exchange_close(struct exchange *exchange, bool whole)
{
    struct connection_state *state = exchange->connection;

    report(exchange, whole);
    lease_give(&exchange->lease, exchange->line.query_size);
    request_line_clear(&exchange->line);
    worker_end(&exchange->task);
    body_free(&exchange->body);
    job_clear(&exchange->task.job);
    exchange_account(exchange);
    exchange_init(exchange, state);
    connection_state_enter(state, CONNECTION_IDLE);
}

void exchange_lose(struct exchange *exchange)
{
    exchange->line.method = exchange->line.path = NULL;
    exchange->headers = (struct headers){.request_id = NULL};
    exchange_close(exchange, false);
}
