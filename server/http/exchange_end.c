#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/http/connection.h"
#include "server/http/cors.h"
#include "server/http/exchange.h"
#include "server/http/loop.h"
#include "server/jobs/clock.h"
#include "server/jobs/content_coding.h"

void exchange_account(struct connection *connection)
{
    struct exchange *exchange = &connection->exchange;
    size_t now = exchange->body.reserved + exchange->body.noted +
                 exchange->task.job.reserved;

    if (now == exchange->accounted)
        return;
    /* Unsigned: adding the difference works both ways. */
    atomic_fetch_add_explicit(&connection->loop->bytes,
                              now - exchange->accounted, memory_order_relaxed);
    exchange->accounted = now;
}

void exchange_id(const struct connection *connection,
                 char text[EXCHANGE_ID_SIZE])
{
    const struct exchange *exchange = &connection->exchange;

    if (exchange->headers.request_id)
        snprintf(text, EXCHANGE_ID_SIZE, "%s", exchange->headers.request_id);
    else
        snprintf(text, EXCHANGE_ID_SIZE, "%08x-%x-%llx",
                 connection->loop->service->instance,
                 (unsigned)connection->loop->index,
                 (unsigned long long)exchange->number);
}

struct reply_headers exchange_headers(const struct connection *connection,
                                      bool close)
{
    const struct exchange *exchange = &connection->exchange;
    const struct job *job = &exchange->task.job;
    const struct headers *headers = &exchange->headers;

    return (struct reply_headers){
        .request_id = headers->request_id,
        .close = close,
        .encoding = job->coded ? content_coding_name(job->reply_coding) : NULL,
        .varies = headers->accept_encoding && job->reply.status < 300,
        .origin = cors_origin(
            connection->loop->service->jobs.options->cors_allow_origin,
            headers),
        .asked = headers->cors_headers,
    };
}

/* What became of the request: a status, or 0 when libmicrohttpd refused it by
 * itself (or it broke off) before its headers were whole. */
static int outcome(const struct exchange *exchange, bool whole)
{
    if (exchange->written)
        return exchange->written;
    if (whole && exchange->sent)
        return exchange->task.job.reply.status;
    return exchange->begun ? METRICS_CLIENT_GONE : 0;
}

static void record(struct connection *connection, int status,
                   uint64_t duration_us)
{
    struct exchange *exchange = &connection->exchange;
    struct metrics *metrics = &connection->loop->metrics;
    struct metrics_request request = {
        .route = exchange->route.label,
        .status = status,
        .duration_us = duration_us,
        .received = exchange->body.len,
        .model = exchange->task.job.model,
        .times = exchange->task.job.times,
    };

    if (exchange->sent && status != METRICS_CLIENT_GONE)
        request.sent = api_reply_bytes(&exchange->task.job.reply);
    metrics_count_request(metrics, &request);
    if (exchange->task.job.rejection >= 0)
        metrics_count_rejection(
            metrics, (enum metrics_rejection)exchange->task.job.rejection);
}

static void log_request(struct connection *connection, enum log_level level,
                        int status, uint64_t duration_us)
{
    struct exchange *exchange = &connection->exchange;
    char id[EXCHANGE_ID_SIZE], client[PEER_TEXT_SIZE];

    exchange_id(connection, id);
    peer_text(&connection->peer, client);
    log_event(
        connection->loop->service->jobs.log, level, "request", {"id", id, 0},
        {"client", client, 0},
        {"method", exchange->method ? exchange->method : "", 0},
        {"path", exchange->path ? exchange->path : "", 0},
        {"status", NULL, status},
        {"received", NULL, (int64_t)exchange->body.len},
        {"sent", NULL, (int64_t)api_reply_bytes(&exchange->task.job.reply)},
        {"us", NULL, (int64_t)duration_us});
}

void exchange_close(struct connection *connection, bool whole)
{
    struct exchange *exchange = &connection->exchange;
    struct service *service = connection->loop->service;
    uint64_t now_ms = uv_now(&connection->loop->uv);
    int status = outcome(exchange, whole);
    uint64_t duration_us =
        exchange->begun
            ? (clock_now_ns() - exchange->task.job.times.arrived) / 1000
            : 0;

    record(connection, status, duration_us);
    if (status == 500)
        log_request(connection, LOG_ERROR, status, duration_us);
    else if (service->jobs.options->access_log)
        log_request(connection, LOG_INFO, status, duration_us);
    free(exchange->query);
    body_free(&exchange->body, &service->jobs, now_ms);
    job_clear(&exchange->task.job, now_ms);
    exchange_account(connection);
    exchange_init(connection);
    connection_enter(connection, CONNECTION_IDLE,
                     (uint64_t)service->jobs.options->idle_timeout * 1000);
    connection->idle_bytes_known = false;
}
