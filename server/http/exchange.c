#include "server/http/exchange.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>

#include "server/base/clock.h"
#include "server/message/origin.h"
#include "server/routes/server_routes.h"
#include "server/work/content_coding.h"

enum { SMALL_BODY = 64 << 10 }; /* bytes */

/* Bytes of a refused body that are dropped as they come: that costs less than
 * the new connection that the client would need. */
enum { DROPPED_BODY = 4 << 20 };

static_assert((int)CONNECTION_COST_POOL <= (int)CONNECTION_COST_ALLOWANCE,
              "a query is no longer than the allowance of its connection");

static void account(struct exchange *exchange)
{
    size_t now = exchange->lease.held;

    if (now == exchange->accounted)
        return;
    /* The difference may be negative: unsigned numbers wrap around. */
    atomic_fetch_add_explicit(&exchange->connection->loop->bytes,
                              now - exchange->accounted, memory_order_relaxed);
    exchange->accounted = now;
}

static enum engine_verdict answer(struct exchange *exchange)
{
    account(exchange);
    return exchange_reply_send(exchange);
}

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
    return answer(context) == ENGINE_CONTINUE;
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
    if (!exchange->open) /* a deadline may precede the request line */
        exchange_open(exchange);
    if (exchange->has_headers)
        forget_what_was_dropped(exchange);
    else
        read_some_headers(exchange);
    exchange_reply_send_early(exchange);
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
        return answer(exchange);
    refuse_and_linger(exchange);
    return ENGINE_CONTINUE;
}

static void refuse_body(struct exchange *exchange, enum body_verdict verdict,
                        uint64_t len)
{
    struct job *job = &exchange->task.job;
    char text[160];
    const char *name;
    size_t limit = job_body_limit(job, &name);

    switch (verdict) {
    case BODY_TOO_LARGE:
        snprintf(text, sizeof(text), "the body has %s%llu bytes, but %s is %zu",
                 exchange->headers.chunked ? "at least " : "",
                 (unsigned long long)len, name, limit);
        job_fail(job, 413, METRICS_BODY_TOO_LARGE, text);
        break;
    case BODY_NEVER:
    case BODY_BUSY:
    case BODY_ADDRESS:
        job_fail_reservation(job, (enum lease_verdict)verdict, (size_t)len,
                             "the body");
        break;
    case BODY_NO_MEMORY:
    case BODY_OK:
        job_fail_memory(job, "the body");
        break;
    }
}

static const char *find_header(void *context, const char *name)
{
    return engine_find_header(context, name);
}

static bool find_route(struct exchange *exchange)
{
    struct request_line *line = &exchange->line;
    struct job *job = &exchange->task.job;
    const struct listener_profile *profile =
        exchange->connection->loop->profile;
    bool found = api_route(line->method, line->path, &line->route, &job->reply);

    if (profile->serves && !profile->serves(&line->route)) {
        job_fail(job, 404, -1, profile->not_served);
        return false;
    }
    if (!found)
        origin_preflight(job->context->options->cors_allow_origin,
                         &exchange->headers, &job->reply);
    return found;
}

static bool may_be_sent(struct exchange *exchange)
{
    struct job *job = &exchange->task.job;

    return origin_may_send(job->context->options->cors_allow_origin,
                           &exchange->headers, exchange->line.method,
                           &job->reply);
}

static bool is_authorized(struct exchange *exchange)
{
    struct connection_state *state = exchange->connection;

    if (state->loop->profile->unrestricted)
        return true;
    return route_auth_allow(&state->loop->service->route_auth,
                            exchange->line.route.id, exchange->line.method,
                            find_header, state->engine,
                            &exchange->task.job.reply);
}

static bool check_headers(struct exchange *exchange)
{
    const char *text;
    int status = headers_audit(&exchange->headers, &text);

    if (status == 0 && exchange->line.query_lost) {
        status = 503;
        text = "no memory for the query: try again";
    }
    if (status != 0)
        job_fail(&exchange->task.job, status, -1, text);
    return status == 0;
}

static bool reserve_body(struct exchange *exchange)
{
    uint64_t len = exchange->headers.content_length;
    enum body_verdict verdict;

    /* Other requests are answered on the loop's thread, and name a few things
     * at most. */
    if (exchange->line.route.id != API_ROUTE_INFER)
        exchange->body.limit = exchange->task.job.body_limit = SMALL_BODY;
    verdict = body_announce(&exchange->body, len);

    account(exchange);
    if (verdict != BODY_OK)
        refuse_body(exchange, verdict, len);
    return verdict == BODY_OK;
}

static void read_codings(struct exchange *exchange)
{
    const struct headers *headers = &exchange->headers;
    struct job *job = &exchange->task.job;
    enum content_coding_policy policy =
        (enum content_coding_policy)
            job->context->options->http_response_compression;

    /* Browsers list several codings. Tensors rarely shrink; texts do. */
    if (policy == CODING_AUTO && api_route_is_text(exchange->line.route.id))
        policy = CODING_ALWAYS;
    content_coding_parse(headers->content_encoding, &job->body_coding);
    job->reply_coding = content_coding_choose(headers->accept_encoding, policy);
}

/* A large body is not even read when its request would wait too long for a
 * worker; a small one is likely to have been sent already. */
static bool has_worker(struct exchange *exchange)
{
    const struct headers *headers = &exchange->headers;
    struct job *job = &exchange->task.job;

    if (headers->content_length <= SMALL_BODY ||
        exchange->line.route.id != API_ROUTE_INFER)
        return true;
    job->request.body_len = headers->content_length;
    job->request.inference_header = headers->inference_header;
    job->request.content_type = headers->content_type;
    job->request.accept = headers->accept;
    return worker_admit(&exchange->task);
}

/* In the documented order. */
static bool admit(struct exchange *exchange)
{
    if (!find_route(exchange) || !may_be_sent(exchange) ||
        !is_authorized(exchange) || !check_headers(exchange))
        return false;
    read_codings(exchange);
    return reserve_body(exchange) && has_worker(exchange);
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
    if (!admit(exchange))
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
    account(exchange);
}

/* Refuses a body of which `len` bytes have come. */
static void refuse_rest(struct exchange *exchange, enum body_verdict verdict,
                        size_t len)
{
    engine_receive_stop(exchange->connection->engine);
    refuse_body(exchange, verdict, len);
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
    account(exchange);
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
        return answer(exchange);
    prepare_job(exchange);
    if (server_routes_answer(&exchange->task.job, &exchange->line.route))
        return answer(exchange);
    return worker_start(&exchange->task) ? ENGINE_CONTINUE : ENGINE_NO_MEMORY;
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

void exchange_close(struct exchange *exchange, bool whole)
{
    struct connection_state *state = exchange->connection;

    /* An early error may precede the trailers. */
    forget_what_was_dropped(exchange);
    exchange_reply_report(exchange, whole);
    lease_give(&exchange->lease, exchange->line.query_size);
    request_line_clear(&exchange->line);
    worker_end(&exchange->task);
    body_free(&exchange->body);
    job_clear(&exchange->task.job);
    account(exchange);
    exchange_init(exchange, state);
    connection_state_enter(state, CONNECTION_IDLE);
}

void exchange_lose(struct exchange *exchange)
{
    exchange->line.method = exchange->line.path = NULL;
    exchange->headers = (struct headers){.request_id = NULL};
    exchange_close(exchange, false);
}
