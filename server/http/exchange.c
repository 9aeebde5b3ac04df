#include "server/http/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "server/http/connection.h"
#include "server/http/early_error.h"
#include "server/http/loop.h"
#include "server/http/reply.h"
#include "server/jobs/clock.h"
#include "server/jobs/content_coding.h"
#include "server/mhd/body_receive.h"
#include "server/mhd/sliced_send.h"
#include "server/routes/server_routes.h"

enum {
    /* Up to here a body that nobody wants is read all the same: the client
     * has most likely sent it already, and the connection can stay. */
    IGNORED_BODY = 64 << 10,
};

void exchange_open(struct connection *connection, const char *uri)
{
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

static enum MHD_Result send_reply(struct connection *connection)
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
    sliced_send_start(connection, api_reply_bytes(reply));
    return reply_send(reply, &headers, connection->mhd, &exchange->gathered)
               ? MHD_YES
               : MHD_NO;
}

static void suspend(void *context)
{
    struct connection *connection = context;

    MHD_suspend_connection(connection->mhd);
    connection_enter(connection, CONNECTION_WORK, UINT32_MAX);
}

/* libmicrohttpd calls finish() again. It loses a resume that is followed by a
 * suspend, so there is one of each for a request. */
static void resume(void *context)
{
    struct connection *connection = context;

    MHD_resume_connection(connection->mhd);
    connection->loop->need_run = true;
}

static bool send_now(void *context)
{
    return send_reply(context) == MHD_YES;
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

static enum MHD_Result begin(struct connection *connection, const char *url,
                             const char *method)
{
    struct exchange *exchange = &connection->exchange;
    const struct headers *headers = &exchange->headers;
    const struct options *options = connection->loop->service->jobs.options;
    int status;

    exchange->begun = true;
    exchange->method = method;
    exchange->path = path_of(url);
    exchange->task.job.times.arrived = clock_now_ns();
    headers_read(&exchange->headers, connection->mhd);
    if (headers_have_body(headers))
        connection_enter(connection, CONNECTION_BODY,
                         options_transfer_ms(options, headers->content_length));
    if (exchange_admit(connection)) {
        body_receive_start(connection);
        return MHD_YES;
    }
    if (!headers_have_body(headers))
        return MHD_YES;
    status = exchange->task.job.reply.status;
    if (status != 413 && !headers->chunked && !headers->expect &&
        headers->content_length <= IGNORED_BODY)
        return MHD_YES;
    /* Who asks first has sent nothing: libmicrohttpd answers, and closes. */
    if (headers->expect)
        return send_reply(connection);
    refuse_and_linger(connection);
    return MHD_YES;
}

static enum MHD_Result take(struct connection *connection, const char *data,
                            size_t len)
{
    struct exchange *exchange = &connection->exchange;
    struct job *job = &exchange->task.job;
    size_t skipped = body_receive_skip(exchange, len);
    enum body_verdict verdict = BODY_OK;

    if (job->reply.status != 0) {
        exchange->ignored += len;
        return exchange->ignored <= CONNECTION_LINGER_BYTES ? MHD_YES : MHD_NO;
    }
    if (skipped < len)
        verdict = body_append(&exchange->body, job->context, data + skipped,
                              len - skipped, uv_now(&connection->loop->uv));
    if (verdict != BODY_OK) {
        body_receive_stop(connection);
        exchange_refuse_body(exchange, verdict, exchange->body.len + len);
        body_free(&exchange->body, job->context, uv_now(&connection->loop->uv));
        refuse_and_linger(connection);
    }
    exchange_account(connection);
    return MHD_YES;
}

static enum MHD_Result finish(struct connection *connection)
{
    struct exchange *exchange = &connection->exchange;

    if (exchange->written)
        return MHD_NO; /* the answer went out past libmicrohttpd */
    if (exchange->task.job.reply.status != 0)
        return send_reply(connection);
    fill_in(connection);
    if (server_routes_answer(&exchange->task.job, &exchange->route))
        return send_reply(connection);
    return worker_start(&exchange->task) ? MHD_YES : MHD_NO;
}

enum MHD_Result exchange_call(struct connection *connection, const char *url,
                              const char *method, const char *data, size_t *len)
{
    enum MHD_Result result;

    if (!connection->exchange.begun)
        return begin(connection, url, method);
    if (*len == 0)
        return finish(connection);
    result = take(connection, data, *len);
    *len = 0;
    return result;
}
