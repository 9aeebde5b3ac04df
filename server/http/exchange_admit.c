#include <stdio.h>

#include "server/http/connection.h"
#include "server/http/cors.h"
#include "server/http/exchange.h"
#include "server/http/loop.h"

void exchange_refuse_body(struct exchange *exchange, enum body_verdict verdict,
                          uint64_t len)
{
    struct job *job = &exchange->task.job;
    char text[160];

    switch (verdict) {
    case BODY_TOO_LARGE:
        snprintf(text, sizeof(text),
                 "the body has %s%llu bytes, but http-max-input-size is %lld",
                 exchange->headers.chunked ? "at least " : "",
                 (unsigned long long)len,
                 (long long)job->context->options->http_max_input_size);
        job_fail(job, 413, METRICS_BODY_TOO_LARGE, text);
        break;
    case BODY_NEVER:
    case BODY_BUSY:
        job_fail_reservation(
            job, verdict == BODY_NEVER ? ADMISSION_NEVER : ADMISSION_BUSY,
            (size_t)len, "the body");
        break;
    case BODY_NO_MEMORY:
    case BODY_OK:
        job_fail(job, 503, METRICS_INFLIGHT_BYTES,
                 "no memory for the body: try again");
        break;
    }
}

static const char *find_header(void *context, const char *name)
{
    return engine_find_header(context, name);
}

static bool is_authorized(struct connection *connection)
{
    struct exchange *exchange = &connection->exchange;
    struct route_auth_headers headers = {find_header, connection->engine};

    return route_auth_allow(&connection->loop->service->route_auth,
                            exchange->route.id, &headers,
                            &exchange->task.job.reply);
}

/* In the documented order: route, method, restriction, headers, limits. */
bool exchange_admit(struct connection *connection)
{
    struct exchange *exchange = &connection->exchange;
    struct job *job = &exchange->task.job;
    const struct listener_profile *profile = connection->loop->profile;
    enum body_verdict verdict;
    const char *text;
    int status;

    bool found = api_route(exchange->method, exchange->path, &exchange->route,
                           &job->reply);

    if (profile->serves && !profile->serves(&exchange->route)) {
        job_fail(job, 404, -1, profile->not_served);
        return false;
    }
    if (!found) {
        cors_preflight(job->context->options->cors_allow_origin,
                       &exchange->headers, &job->reply);
        return false;
    }
    if (!is_authorized(connection))
        return false;
    status = headers_audit(&exchange->headers, &text);
    if (status == 0 && exchange->lost_query) {
        status = 503;
        text = "no memory for the query: try again";
    }
    if (status != 0) {
        job_fail(job, status, -1, text);
        return false;
    }
    verdict = body_announce(&exchange->body, job->context,
                            exchange->headers.content_length);
    exchange_account(connection);
    if (verdict != BODY_OK)
        exchange_refuse_body(exchange, verdict,
                             exchange->headers.content_length);
    return verdict == BODY_OK;
}
