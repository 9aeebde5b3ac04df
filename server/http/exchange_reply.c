#include <stdio.h>
#include <string.h>

#include "server/clock/clock.h"
#include "server/http/exchange.h"
#include "server/jobs/content_coding.h"

enum { ID_SIZE = 160 }; /* of a request's id, as text */

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

static struct reply_headers make_headers(const struct exchange *exchange,
                                         bool close)
{
    const struct job *job = &exchange->task.job;
    const struct headers *headers = &exchange->headers;

    return (struct reply_headers){
        .request_id = headers->request_id,
        .close = close,
        .encoding = job->coded ? content_coding_name(job->reply_coding) : NULL,
        .varies = headers->accept_encoding && job->reply.status < 300,
        .origin = reply_allowed_origin(job->context->options->cors_allow_origin,
                                       headers),
        .requested = headers->cors_headers,
    };
}

enum engine_verdict exchange_send(struct exchange *exchange)
{
    struct connection_state *state = exchange->connection;
    bool close = service_get_phase(state->loop->service) >= SERVICE_DRAINING;
    struct reply_headers headers = make_headers(exchange, close);

    exchange_account(exchange);
    connection_state_enter(state, CONNECTION_SEND);
    exchange->sent = true;
    exchange->task.job.times.sent = clock_now_ns();
    return reply_send(&exchange->task.job.reply, &headers, state->engine)
               ? ENGINE_CONTINUE
               : ENGINE_NO_MEMORY;
}

void exchange_send_early(struct exchange *exchange)
{
    const struct api_reply *reply = &exchange->task.job.reply;
    const char *method = exchange->line.method;
    struct reply_headers headers = make_headers(exchange, true);

    if (!exchange->open) /* a deadline may precede the request line */
        exchange_open(exchange);
    exchange->early_status = reply->status;
    reply_send_early(reply, &headers, method && strcmp(method, "HEAD") == 0,
                     exchange->connection->engine);
}

/* The client's X-Request-Id or, without one, an id made up. */
static void print_id(const struct exchange *exchange, char text[ID_SIZE])
{
    const struct loop_context *loop = exchange->connection->loop;

    if (exchange->headers.request_id)
        snprintf(text, ID_SIZE, "%s", exchange->headers.request_id);
    else
        snprintf(text, ID_SIZE, "%08x-%x-%llx", loop->service->instance,
                 (unsigned)loop->index, (unsigned long long)exchange->number);
}

/* The result of the request: a status, also of a refusal by libmicrohttpd
 * itself; 0 when it broke off before its headers were whole. */
static int find_status(const struct exchange *exchange, bool whole)
{
    const struct engine_connection *engine = exchange->connection->engine;
    int status;

    if (exchange->early_status)
        return exchange->early_status;
    if (whole && exchange->sent)
        return exchange->task.job.reply.status;
    status = exchange->sent ? 0 : engine_sent_status(engine);
    if (status > 0)
        return status;
    return exchange->has_headers ? METRICS_CLIENT_GONE : 0;
}

static void count(struct exchange *exchange, int status, uint64_t duration_us)
{
    const struct job *job = &exchange->task.job;
    struct metrics *metrics = &exchange->connection->loop->metrics;
    struct metrics_request request = {
        .route = exchange->line.route.label,
        .status = status,
        .duration_us = duration_us,
        .received = exchange->body.len,
        .model = job->model,
        .times = job->times,
    };

    if (exchange->sent && status != METRICS_CLIENT_GONE)
        request.sent = api_reply_bytes(&job->reply);
    metrics_count_request(metrics, &request);
    if (job->rejection >= 0)
        metrics_count_rejection(metrics,
                                (enum metrics_rejection)job->rejection);
}

/* A server's fault may repeat at every request; the lines of --access-log are
 * wanted, all of them. */
static void log_request(const struct exchange *exchange, int status,
                        uint64_t duration_us)
{
    const bool fault = status == 500;
    const enum log_level level = fault ? LOG_ERROR : LOG_INFO;
    void (*write)(struct log *, enum log_level, const char *,
                  const struct log_field *) = fault ? log_write : log_write_all;
    const struct request_line *line = &exchange->line;
    const struct job *job = &exchange->task.job;
    char id[ID_SIZE], client[PEER_TEXT_SIZE];

    print_id(exchange, id);
    peer_text(&exchange->connection->peer, client);
    write(job->context->log, level, "request",
          (const struct log_field[]){
              {"id", id, 0},
              {"client", client, 0},
              {"method", line->method ? line->method : "", 0},
              {"path", line->path ? line->path : "", 0},
              {"status", NULL, status},
              {"received", NULL, (int64_t)exchange->body.len},
              {"sent", NULL, (int64_t)api_reply_bytes(&job->reply)},
              {"us", NULL, (int64_t)duration_us},
              {NULL, NULL, 0}});
}

static void report(struct exchange *exchange, bool whole)
{
    const struct job *job = &exchange->task.job;
    int status = find_status(exchange, whole);
    uint64_t duration_us = exchange->has_headers
                               ? (clock_now_ns() - job->times.arrived) / 1000
                               : 0;

    count(exchange, status, duration_us);
    if (status == 500 || job->context->options->access_log)
        log_request(exchange, status, duration_us);
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
