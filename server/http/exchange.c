#include "server/http/exchange.h"

#include <assert.h>
#include <stddef.h>

#include "server/base/clock.h"
#include "server/routes/server_routes.h"
#include "server/work/content_coding.h"

/* Bytes of a refused body that are dropped as they come: that costs less than
 * the new connection that the client would need. */
enum { DROPPED_BODY = 4 << 20 };

static_assert((int)CONNECTION_COST_POOL <= (int)CONNECTION_COST_ALLOWANCE,
              "a query is no longer than the allowance of its connection");

static void suspend(void *context)
{
    struct exchange *exchange = context;

    engine_suspend(exchange->connection->engine);
    connection_state_enter(exchange->connection, CONNECTION_WORK);
}

/* The engine calls exchange_on_end() again. */
static void resume(void *context)
{
    struct exchange *exchange = context;

    engine_resume(exchange->connection->engine);
}

static bool send_reply(void *context)
{
    return exchange_send(context) == ENGINE_CONTINUE;
}

static bool has_gone(void *context)
{
    struct exchange *exchange = context;

    return engine_has_ended(exchange->connection->engine, true);
}

static const struct worker_waiter waiter = {suspend, resume, send_reply,
                                            has_gone};

void exchange_init(struct exchange *exchange, struct connection_state *state)
{
    struct job_context *jobs = &state->loop->service->jobs;

    *exchange = (struct exchange){.connection = state};
    lease_init(&exchange->lease, &jobs->budget, &state->peer);
    body_init(&exchange->body, jobs, &exchange->lease);
    worker_init(&exchange->task, jobs, &state->loop->workers, &waiter,
                exchange);
    exchange->task.job.lease = &exchange->lease;
    exchange->task.address = state->address_hash;
}

void exchange_open(struct exchange *exchange)
{
    exchange->open = true;
    exchange->number = ++exchange->connection->loop->request_count;
}

void exchange_on_request_line(void *context, const char *uri)
{
    struct exchange *exchange = context;

    exchange_open(exchange);
    request_line_open(&exchange->line, uri);
    lease_take(&exchange->lease, exchange->line.query_size); /* never refused */
    if (exchange->connection->stage == CONNECTION_IDLE)
        connection_state_enter(exchange->connection, CONNECTION_HEADERS);
}

static void refuse_and_linger(struct exchange *exchange)
{
    exchange_send_early(exchange);
    connection_state_enter(exchange->connection, CONNECTION_LINGER);
}

/* True if `rest` more bytes of a refused body are dropped and the reply is sent
 * after them. */
static bool drop_body(struct exchange *exchange, uint64_t rest)
{
    const struct headers *headers = &exchange->headers;

    if (exchange->task.job.reply.status == 413 || headers->chunked ||
        headers->expect || rest > DROPPED_BODY)
        return false;
    engine_drop_body(exchange->connection->engine, (size_t)rest);
    return true;
}

static enum engine_verdict refuse(struct exchange *exchange)
{
    const struct headers *headers = &exchange->headers;

    if (!headers_have_body(headers) ||
        drop_body(exchange, headers->content_length))
        return ENGINE_CONTINUE;
    /* A client that expects "100 Continue" has sent nothing yet: the engine
     * sends the reply and closes the connection. */
    if (exchange->headers.expect)
        return exchange_send(exchange);
    refuse_and_linger(exchange);
    return ENGINE_CONTINUE;
}

static void receive_body(struct exchange *exchange)
{
    if (exchange->line.route.id == API_ROUTE_INFER &&
        !exchange->headers.content_encoding)
        body_scan(&exchange->body);
    engine_receive_body(exchange->connection->engine, exchange->body.announced);
}

enum engine_verdict exchange_on_headers(void *context, const char *url,
                                        const char *method)
{
    struct exchange *exchange = context;
    struct connection_state *state = exchange->connection;
    const struct headers *headers = &exchange->headers;

    exchange->has_headers = true;
    exchange->task.job.times.arrived = clock_now_ns();
    request_line_read(&exchange->line, method, url);
    headers_read(&exchange->headers, state->engine);
    if (headers_have_body(headers))
        connection_state_enter(state, CONNECTION_BODY);
    if (!exchange_admit(exchange))
        return refuse(exchange);
    receive_body(exchange);
    return ENGINE_CONTINUE;
}

unsigned char *exchange_reserve_body(void *context, size_t *size)
{
    struct exchange *exchange = context;

    return body_reserve(&exchange->body, size);
}

void exchange_on_body_received(void *context, size_t size)
{
    struct exchange *exchange = context;
    size_t before = exchange->body.len;

    body_received(&exchange->body, size);
    worker_received(&exchange->task, before, exchange->body.len);
    exchange_account(exchange);
}

/* Refuses a body of which `len` bytes have come. */
static void refuse_rest(struct exchange *exchange, enum body_verdict verdict,
                        size_t len)
{
    engine_receive_stop(exchange->connection->engine);
    exchange_refuse_body(exchange, verdict, len);
    body_free(&exchange->body);
    if (!drop_body(exchange, exchange->headers.content_length - len))
        refuse_and_linger(exchange);
}

enum engine_verdict exchange_on_body(void *context, const char *data,
                                     size_t len)
{
    struct exchange *exchange = context;
    enum body_verdict verdict;

    if (exchange->task.job.reply.status != 0) {
        exchange->discarded += len;
        return exchange->discarded <= CONNECTION_LINGER_BYTES
                   ? ENGINE_CONTINUE
                   : ENGINE_BODY_UNWANTED;
    }
    verdict = body_append(&exchange->body, data, len);
    if (verdict != BODY_OK)
        refuse_rest(exchange, verdict, exchange->body.len + len);
    exchange_account(exchange);
    return ENGINE_CONTINUE;
}

/* Makes the job one of the whole request. */
static void prepare_job(struct exchange *exchange)
{
    struct job *job = &exchange->task.job;
    const struct headers *headers = &exchange->headers;
    const struct service *service = exchange->connection->loop->service;

    job->times.whole = clock_now_ns();
    job->models = served_models_ref(&job->context->models);
    job->request = (struct api_request){
        .method = exchange->line.method,
        .path = exchange->line.path,
        .query = exchange->line.query,
        .route = &exchange->line.route,
        .content_type = headers->content_type,
        .accept = headers->accept,
        .inference_header = headers->inference_header,
        .body = exchange->body.buffer.data,
        .body_len = exchange->body.len,
        .early = exchange->body.early,
        .models = job->models,
        .ready = service_get_phase(service) == SERVICE_RUNNING,
    };
}

enum engine_verdict exchange_on_end(void *context)
{
    struct exchange *exchange = context;

    if (exchange->early_status)
        return ENGINE_REPLIED_EARLY;
    if (exchange->task.job.reply.status != 0) /* refused, or resumed */
        return exchange_send(exchange);
    prepare_job(exchange);
    if (server_routes_answer(&exchange->task.job, &exchange->line.route))
        return exchange_send(exchange);
    return worker_start(&exchange->task) ? ENGINE_CONTINUE : ENGINE_NO_MEMORY;
}
