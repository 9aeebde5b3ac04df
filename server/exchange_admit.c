#include <stdio.h>

#include "server/admin.h"
#include "server/connection.h"
#include "server/cors.h"
#include "server/exchange.h"
#include "server/loop.h"

void exchange_refuse_body(struct exchange *exchange, enum body_verdict verdict,
                          uint64_t len)
{
    struct answer *answer = &exchange->answer;
    char text[160];

    switch (verdict) {
    case BODY_TOO_LARGE:
        snprintf(text, sizeof(text),
                 "the body has %s%llu bytes, but http-max-input-size is %lld",
                 exchange->headers.chunked ? "at least " : "",
                 (unsigned long long)len,
                 (long long)answer->service->options->http_max_input_size);
        answer_fail(answer, 413, METRICS_BODY_TOO_LARGE, text);
        break;
    case BODY_NEVER:
    case BODY_BUSY:
        answer_refuse_bytes(
            answer, verdict == BODY_NEVER ? ADMISSION_NEVER : ADMISSION_BUSY,
            (size_t)len, "the body");
        break;
    case BODY_NO_MEMORY:
    case BODY_OK:
        answer_fail(answer, 503, METRICS_INFLIGHT_BYTES,
                    "no memory for the body: try again");
        break;
    }
}

/* In the documented order: route, method, restriction, headers, limits. */
bool exchange_admit(struct connection *connection)
{
    struct exchange *exchange = &connection->exchange;
    struct answer *answer = &exchange->answer;
    enum body_verdict verdict;
    const char *text;
    int status;

    bool found = api_route(exchange->method, exchange->path, &exchange->route,
                           &answer->reply);

    if (connection->loop->index == LOOP_ADMIN && !admin_has(&exchange->route)) {
        answer_fail(answer, 404, -1,
                    "this is the admin port: /v2/health/live, "
                    "/v2/health/ready and /metrics are all there is");
        return false;
    }
    if (!found) {
        cors_preflight(answer->service->options->cors_allow_origin,
                       &exchange->headers, &answer->reply);
        return false;
    }
    if (!restrictions_pass(&answer->service->restrictions, exchange->route.id,
                           connection->mhd, &answer->reply))
        return false;
    status = headers_audit(&exchange->headers, &text);
    if (status == 0 && exchange->lost_query) {
        status = 503;
        text = "no memory for the query: try again";
    }
    if (status != 0) {
        answer_fail(answer, status, -1, text);
        return false;
    }
    verdict = body_announce(&exchange->body, answer->service,
                            exchange->headers.content_length);
    exchange_account(connection);
    if (verdict != BODY_OK)
        exchange_refuse_body(exchange, verdict,
                             exchange->headers.content_length);
    return verdict == BODY_OK;
}
