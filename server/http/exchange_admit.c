#include <stdio.h>

#include "server/http/exchange.h"
#include "server/message/origin.h"
#include "server/work/content_coding.h"

enum { SMALL_BODY = 64 << 10 }; /* bytes */

void exchange_refuse_body(struct exchange *exchange, enum body_verdict verdict,
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

    exchange_account(exchange);
    if (verdict != BODY_OK)
        exchange_refuse_body(exchange, verdict, len);
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
bool exchange_admit(struct exchange *exchange)
{
    if (!find_route(exchange) || !may_be_sent(exchange) ||
        !is_authorized(exchange) || !check_headers(exchange))
        return false;
    read_codings(exchange);
    return reserve_body(exchange) && has_worker(exchange);
}
