#include "server/http/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "server/http/connection.h"
#include "server/http/early_error.h"
#include "server/http/loop.h"
#include "server/http/reply.h"
#include "server/jobs/clock.h"
#include "server/jobs/content_coding.h"
#include "server/routes/server_routes.h"

enum {
    /* Up to here a body that nobody wants is read all the same: the client
     * has most likely sent it already, and the connection can stay. */
    IGNORED_BODY = 64 << 10,
};

void exchange_on_request_line(void *context, const char *uri)
{
    struct connection *connection = context;
    struct exchange *exchange = &connection->exchange;
    const struct options *options = connection->loop->service->jobs.options;
    const char *query = strchr(uri, '?');

    exchange->open = true;
    exchange->number = ++connection->loop->request_count;
    if (query) {
        exchange->query = strdup(query + 1);
        exchange->lost_query = !exchange->query;
    }
    if (connection->stage == CONNECTION_IDLE)
        connection_enter(connection, CONNECTION_HEADERS,
                         (uint64_t)options->header_timeout * 1000);
}

/* "http://host/path" asks for the same as "/path" (RFC 9112, 3.2.2). */
static const char *path_of(const char *url)
{
    const char *authority;

    if (*url == '/')
        return url;
    authority = strstr(url, "://");
    if (!authority)
        return url;
    authority += 3;
    authority += strcspn(authority, "/");
    return *authority ? authority : "/";
}

static void fill_in(struct connection *connection)
{
    struct exchange *exchange = &connection->exchange;
    struct job *job = &exchange->task.job;
    const struct headers *headers = &exchange->headers;

    job->body_reserved = exchange->body.reserved + exchange->body.noted;
    job->times.whole = clock_now_ns();
    content_coding_parse(headers->content_encoding, &job->body_coding);
    job->reply_coding = content_coding_choose(
        headers->accept_encoding, (enum content_coding_policy)job->context
                                      ->options->http_response_compression);
    job->models = models_ref(&job->context->models);
    job->request = (struct api_request){
        .method = exchange->method,
        .path = exchange->path,
        .query = exchange->query,
        .route = &exchange->route,
        .content_type = headers->content_type,
        .accept = headers->accept,
        .inference_header = headers->inference_header,
        .body = exchange->body.buffer.data,
        .body_len = exchange->body.len,
        .early = &exchange->early,
        .models = job->models,
        .ready =
            service_get_phase(connection->loop->service) == SERVICE_RUNNING,
    };
}

static enum engine_verdict send_reply(struct connection *connection)
{
    struct exchange *exchange = &connection->exchange;
    const struct api_reply *reply = &exchange->task.job.reply;
    const struct service *service = connection->loop->service;
    struct reply_headers headers = exchange_headers(
        connection, service_get_phase(service) >= SERVICE_DRAINING);

    exchange_account(connection);
    connection_enter(
        connection, CONNECTION_SEND,
        options_transfer_ms(service->jobs.options, api_reply_bytes(reply)));
    exchange->sent = true;
    exchange->task.job.times.sent = clock_now_ns();
    return reply_send(reply, &headers, connection->engine) ? ENGINE_CONTINUE
                                                           : ENGINE_NO_MEMORY;
}

static void suspend(void *context)
{
    struct connection *connection = context;

    engine_suspend(connection->engine);
    connection_enter(connection, CONNECTION_WORK, UINT32_MAX);
}

/* The engine calls exchange_on_end() again. */
static void resume(void *context)
{
    struct connection *connection = context;

    engine_resume(connection->engine);
}

static bool send_now(void *context)
{
    return send_reply(context) == ENGINE_CONTINUE;
}

static bool has_gone(void *context)
{
    return connection_has_gone(context);
}

static const struct worker_waiter waiter = {suspend, resume, send_now,
                                            has_gone};

void exchange_init(struct connection *connection)
{
    struct worker_setup setup = {.context = &connection->loop->service->jobs,
                                 .queue = &connection->loop->workers,
                                 .waiter = &waiter,
                                 .waiter_context = connection};

    connection->exchange = (struct exchange){.method = NULL};
    worker_init(&connection->exchange.task, &setup);
}

static void refuse_and_linger(struct connection *connection)
{
    early_error_send(connection);
    connection_enter(connection, CONNECTION_LINGER, CONNECTION_LINGER_MS);
}

/* Bytes of a body that is worth scanning while it arrives. */
enum { SCAN_MIN = 256 << 10 };

static void receive_body(struct connection *connection)
{
    struct exchange *exchange = &connection->exchange;

    exchange->scans_on_arrival = exchange->body.announced >= SCAN_MIN &&
                                 exchange->route.id == API_ROUTE_INFER &&
                                 !exchange->headers.content_encoding;
    engine_receive_body(connection->engine, exchange->body.announced);
}

enum engine_verdict exchange_on_headers(void *context, const char *url,
                                        const char *method)
{
    struct connection *connection = context;
    struct exchange *exchange = &connection->exchange;
    const struct headers *headers = &exchange->headers;
    const struct options *options = connection->loop->service->jobs.options;
    int status;

    exchange->begun = true;
    exchange->method = method;
    exchange->path = path_of(url);
    exchange->task.job.times.arrived = clock_now_ns();
    headers_read(&exchange->headers, connection->engine);
    if (headers_have_body(headers))
        connection_enter(connection, CONNECTION_BODY,
                         options_transfer_ms(options, headers->content_length));
    if (exchange_admit(connection)) {
        receive_body(connection);
        return ENGINE_CONTINUE;
    }
    if (!headers_have_body(headers))
        return ENGINE_CONTINUE;
    status = exchange->task.job.reply.status;
    if (status != 413 && !headers->chunked && !headers->expect &&
        headers->content_length <= IGNORED_BODY)
        return ENGINE_CONTINUE;
    /* Who asks first has sent nothing: libmicrohttpd answers, and closes. */
    if (headers->expect)
        return send_reply(connection);
    refuse_and_linger(connection);
    return ENGINE_CONTINUE;
}

unsigned char *exchange_body_reserve(void *context, size_t size)
{
    struct connection *connection = context;
    struct exchange *exchange = &connection->exchange;

    return body_place(&exchange->body, exchange->task.job.context, size,
                      uv_now(&connection->loop->uv));
}

/* The bytes just received are in the processor's caches, and the loop waits for
 * most of the time that a large body takes to arrive. */
static void scan(struct exchange *exchange)
{
    struct api_early *early = &exchange->early;

    if (!early->over && !early->lengths.done)
        body_note(&exchange->body, exchange->task.job.context, &early->lengths);
    api_read_early(early, exchange->body.buffer.data, exchange->body.len);
}

void exchange_body_received(void *context, size_t size)
{
    struct connection *connection = context;
    struct exchange *exchange = &connection->exchange;

    exchange->body.len += size;
    if (exchange->scans_on_arrival)
        scan(exchange);
    exchange_account(connection);
}

enum engine_verdict exchange_on_body(void *context, const char *data,
                                     size_t len)
{
    struct connection *connection = context;
    struct exchange *exchange = &connection->exchange;
    struct job *job = &exchange->task.job;
    enum body_verdict verdict;

    if (job->reply.status != 0) {
        exchange->ignored += len;
        return exchange->ignored <= CONNECTION_LINGER_BYTES
                   ? ENGINE_CONTINUE
                   : ENGINE_BODY_UNWANTED;
    }
    verdict = body_append(&exchange->body, job->context, data, len,
                          uv_now(&connection->loop->uv));
    if (verdict != BODY_OK) {
        engine_receive_stop(connection->engine);
        exchange_refuse_body(exchange, verdict, exchange->body.len + len);
        body_free(&exchange->body, job->context, uv_now(&connection->loop->uv));
        refuse_and_linger(connection);
    }
    exchange_account(connection);
    return ENGINE_CONTINUE;
}

enum engine_verdict exchange_on_end(void *context)
{
    struct connection *connection = context;
    struct exchange *exchange = &connection->exchange;

    if (exchange->written)
        return ENGINE_ANSWERED_EARLY;
    if (exchange->task.job.reply.status != 0)
        return send_reply(connection);
    fill_in(connection);
    if (server_routes_answer(&exchange->task.job, &exchange->route))
        return send_reply(connection);
    return worker_start(&exchange->task) ? ENGINE_CONTINUE : ENGINE_NO_MEMORY;
}

void exchange_on_completed(void *context, bool whole)
{
    exchange_close(context, whole);
}
