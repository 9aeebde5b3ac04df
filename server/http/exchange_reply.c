#include <stdio.h>
#include <string.h>

#include "server/http/exchange.h"
#include "server/jobs/clock.h"
#include "server/jobs/content_coding.h"
#include "server/message/cors.h"
#include "server/message/early_error.h"

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
        .origin =
            cors_origin(job->context->options->cors_allow_origin, headers),
        .requested = headers->cors_headers,
    };
}

enum engine_verdict exchange_send(struct exchange *exchange)
{
    struct connection_state *state = exchange->connection;
    const struct api_reply *reply = &exchange->task.job.reply;
    bool close = service_get_phase(state->loop->service) >= SERVICE_DRAINING;
    struct reply_headers headers = make_headers(exchange, close);

    exchange_account(exchange);
    connection_state_enter(
        state, CONNECTION_SEND,
        options_transfer_ms(loop_context_options(state->loop),
                            api_reply_bytes(reply)));
    exchange->progress.sent = true;
    exchange->task.job.times.sent = clock_now_ns();
    return reply_send(reply, &headers, state->engine) ? ENGINE_CONTINUE
                                                      : ENGINE_NO_MEMORY;
}

void exchange_send_early(struct exchange *exchange)
{
    const struct api_reply *reply = &exchange->task.job.reply;
    const char *method = exchange->line.method;
    struct reply_headers headers = make_headers(exchange, true);

    if (!exchange->progress.open) /* a deadline may precede the request line */
        exchange_open(exchange);
    exchange->progress.early_status = reply->status;
    early_error_send(reply, &headers, method && strcmp(method, "HEAD") == 0,
                     exchange->connection->engine);
}
