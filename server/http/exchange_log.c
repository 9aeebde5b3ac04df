/* The line of a request in the log. */
#include <stdio.h>

#include "server/http/exchange.h"
#include "server/message/headers.h"

enum {
    ID_SIZE = 160, /* of a request's id, as text */

    /* What a client sends is cut, so that it cannot push the other fields out
     * of the line. */
    METHOD_SIZE = 33,
    PATH_SIZE = 257,
    AGENT_SIZE = 201,
};

/* The texts that are made for a line. */
struct texts {
    char id[ID_SIZE], client[PEER_TEXT_SIZE];
    char method[METHOD_SIZE], path[PATH_SIZE], agent[AGENT_SIZE];
    char trace[TRACE_ID_DIGITS + 1];
};

/* The client's X-Request-Id or, without one, an id made up. */
static void print_id(const struct exchange *exchange, char text[ID_SIZE])
{
    const struct loop_context *loop = exchange->connection->loop;

    if (exchange->headers.request_id)
        snprintf(text, ID_SIZE, "%s", exchange->headers.request_id);
    else
        snprintf(text, ID_SIZE, "%08x-%x-%llx", loop->service->instance,
                 (unsigned)loop->index, (unsigned long long)exchange->number);
}

static void print_request(const struct exchange *exchange, struct texts *texts)
{
    const struct request_line *line = &exchange->line;

    print_id(exchange, texts->id);
    peer_text(&exchange->connection->peer, texts->client);
    snprintf(texts->method, METHOD_SIZE, "%s",
             line->method ? line->method : "");
    snprintf(texts->path, PATH_SIZE, "%s", line->path ? line->path : "");
}

/* What not every request has. */
static void print_more(const struct exchange *exchange, struct texts *texts,
                       struct job_log_request *request)
{
    const struct headers *headers = &exchange->headers;

    if (headers->traceparent) {
        snprintf(texts->trace, sizeof(texts->trace), "%s",
                 trace_context_id(headers->traceparent));
        request->trace_id = texts->trace;
    }
    if (headers->user_agent) {
        snprintf(texts->agent, AGENT_SIZE, "%s", headers->user_agent);
        request->user_agent = texts->agent;
    }
}

void exchange_log(const struct exchange *exchange,
                  const struct exchange_end *end)
{
    struct texts texts;
    struct job_log_request request = {.id = texts.id,
                                      .client = texts.client,
                                      .method = texts.method,
                                      .path = texts.path,
                                      .status = end->status,
                                      .received = exchange->body.len,
                                      .sent = end->sent,
                                      .duration_us = end->duration_us};

    print_request(exchange, &texts);
    print_more(exchange, &texts, &request);
    job_log(&exchange->task.job, &request);
}
