#include <stdio.h>
#include <string.h>

#include "server/base/clock.h"
#include "server/http/exchange.h"
#include "server/message/origin.h"
#include "server/metrics/server_timing.h"
#include "server/work/content_coding.h"

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

enum { VARIES_SIZE = 48 };

/* Texts that are made for the headers of a reply. */
struct texts {
    char timing[SERVER_TIMING_SIZE], varies[VARIES_SIZE];
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

/* The header that chooses the form of a reply, if it is no error; NULL: none.
 */
static const char *find_form(const struct exchange *exchange)
{
    return exchange->task.job.reply.status < 300 &&
                   exchange->headers.accept_encoding
               ? "Accept-Encoding"
               : NULL;
}

/* The headers of the request on which a reply depends. */
static const char *print_varies(const struct exchange *exchange, char *text)
{
    const char *origins =
        exchange->task.job.context->options->cors_allow_origin;
    const char *form = find_form(exchange);

    if (!origin_varies(origins))
        return form;
    snprintf(text, VARIES_SIZE, "%s%sOrigin", form ? form : "",
             form ? ", " : "");
    return text;
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
        .varies = print_varies(exchange, texts->varies),
        .origin =
            origin_allowed(job->context->options->cors_allow_origin, headers),
        .requested = headers->cors_headers,
        .timing = print_timing(exchange, texts->timing),
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

/* Of a request that is refused before it is whole: the headers that there are,
 * and for the page's origin, if that is not there, the only one that is
 * allowed. */
static void read_some_headers(struct exchange *exchange)
{
    const struct options *options = exchange->task.job.context->options;

    headers_read(&exchange->headers, exchange->connection->engine);
    if (!exchange->headers.origin)
        exchange->headers.origin = origin_only(options->cors_allow_origin);
}

/* libmicrohttpd drops line and headers of a request whose trailers have filled
 * its memory when its own answer needs space. Only a chunked one has trailers,
 * and the header that says so tells whether it was dropped. */
static void forget_what_was_dropped(struct exchange *exchange)
{
    if (!exchange->headers.chunked)
        return;
    headers_read(&exchange->headers, exchange->connection->engine);
    if (exchange->headers.chunked)
        return;
    read_some_headers(exchange);
    exchange->line.method = exchange->line.path = NULL;
}

void exchange_send_early(struct exchange *exchange)
{
    const struct api_reply *reply = &exchange->task.job.reply;
    const char *method;
    struct reply_headers headers;
    struct texts texts;

    if (!exchange->open) /* a deadline may precede the request line */
        exchange_open(exchange);
    if (exchange->has_headers)
        forget_what_was_dropped(exchange);
    else
        read_some_headers(exchange);
    method = exchange->line.method;
    headers = make_headers(exchange, true, &texts);
    exchange->early_status = reply->status;
    reply_send_early(reply, &headers, method && strcmp(method, "HEAD") == 0,
                     exchange->connection->engine);
}

void exchange_on_unparsed(void *context, int status, const char *text,
                          bool head_only)
{
    struct exchange *exchange = context;
    struct job *job = &exchange->task.job;

    if (exchange->early_status)
        return;
    forget_what_was_dropped(exchange);
    if (head_only && !exchange->line.method)
        exchange->line.method = "HEAD";
    if (job->reply.status == 0 || exchange->sent)
        job_fail(job, status, -1, text);
    exchange_send_early(exchange);
}

/* The result of the request: a status; 0 when it broke off before its headers
 * were whole. Our own fault is one whether or not the client waited for the
 * reply. */
static int find_status(const struct exchange *exchange, bool whole)
{
    int reply = exchange->task.job.reply.status;

    if (exchange->early_status)
        return exchange->early_status;
    if (reply == 500 || (whole && exchange->sent))
        return reply;
    return exchange->has_headers ? METRICS_CLIENT_GONE : 0;
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
        .sent = engine_sent_body(exchange->connection->engine),
    };

    if (exchange->has_headers)
        end.duration_us = (clock_now_ns() - job->times.arrived) / 1000;
    count(exchange, &end);
    if (job_log_wants(&exchange->task.job, end.status))
        exchange_log(exchange, &end);
}

void exchange_close(struct exchange *exchange, bool whole)
{
    struct connection_state *state = exchange->connection;

    /* An early error may precede the trailers. */
    forget_what_was_dropped(exchange);
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
