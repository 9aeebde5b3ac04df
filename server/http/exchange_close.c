#include <stdio.h>

#include "server/http/exchange.h"
#include "server/jobs/clock.h"

void exchange_account(struct exchange *exchange)
{
    size_t now = body_held(&exchange->body) + exchange->task.job.reserved;

    if (now == exchange->accounted)
        return;
    /* The difference may be negative: unsigned numbers wrap around. */
    atomic_fetch_add_explicit(&exchange->connection->loop->bytes,
                              now - exchange->accounted, memory_order_relaxed);
    exchange->accounted = now;
}

void exchange_id(const struct exchange *exchange, char text[EXCHANGE_ID_SIZE])
{
    const struct loop_context *loop = exchange->connection->loop;

    if (exchange->headers.request_id)
        snprintf(text, EXCHANGE_ID_SIZE, "%s", exchange->headers.request_id);
    else
        snprintf(text, EXCHANGE_ID_SIZE, "%08x-%x-%llx",
                 loop->service->instance, (unsigned)loop->index,
                 (unsigned long long)exchange->number);
}

/* The result of the request: a status, or 0 when libmicrohttpd refused it by
 * itself, or it broke off, before its headers were whole. */
static int find_status(const struct exchange *exchange, bool whole)
{
    const struct exchange_progress *progress = &exchange->progress;

    if (progress->early_status)
        return progress->early_status;
    if (whole && progress->sent)
        return exchange->task.job.reply.status;
    return progress->has_headers ? METRICS_CLIENT_GONE : 0;
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

    if (exchange->progress.sent && status != METRICS_CLIENT_GONE)
        request.sent = api_reply_bytes(&job->reply);
    metrics_count_request(metrics, &request);
    if (job->rejection >= 0)
        metrics_count_rejection(metrics,
                                (enum metrics_rejection)job->rejection);
}

static void log_request(const struct exchange *exchange, enum log_level level,
                        int status, uint64_t duration_us)
{
    const struct request_line *line = &exchange->line;
    const struct job *job = &exchange->task.job;
    char id[EXCHANGE_ID_SIZE], client[PEER_TEXT_SIZE];

    exchange_id(exchange, id);
    peer_text(&exchange->connection->peer, client);
    log_event(
        job->context->log, level, "request", {"id", id, 0},
        {"client", client, 0}, {"method", line->method ? line->method : "", 0},
        {"path", line->path ? line->path : "", 0}, {"status", NULL, status},
        {"received", NULL, (int64_t)exchange->body.len},
        {"sent", NULL, (int64_t)api_reply_bytes(&job->reply)},
        {"us", NULL, (int64_t)duration_us});
}

static void report(struct exchange *exchange, bool whole)
{
    const struct job *job = &exchange->task.job;
    int status = find_status(exchange, whole);
    uint64_t duration_us = exchange->progress.has_headers
                               ? (clock_now_ns() - job->times.arrived) / 1000
                               : 0;

    count(exchange, status, duration_us);
    if (status == 500)
        log_request(exchange, LOG_ERROR, status, duration_us);
    else if (job->context->options->access_log)
        log_request(exchange, LOG_INFO, status, duration_us);
}

void exchange_close(struct exchange *exchange, bool whole)
{
    struct connection_state *state = exchange->connection;
    uint64_t now_ms = loop_context_now_ms(state->loop);

    report(exchange, whole);
    request_line_clear(&exchange->line);
    body_free(&exchange->body, now_ms);
    job_clear(&exchange->task.job, now_ms);
    exchange_account(exchange);
    exchange_init(exchange, state);
    connection_state_enter_idle(state);
}
