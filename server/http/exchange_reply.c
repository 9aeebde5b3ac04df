/* The reply of a request, and how the request ended: its counts and its line in
 * the log. */
#include <stdio.h>
#include <string.h>

#include "server/base/clock.h"
#include "server/http/exchange.h"
#include "server/message/headers.h"
#include "server/message/origin.h"
#include "server/metrics/server_timing.h"
#include "server/work/content_coding.h"

enum { VARIES_SIZE = 48 };

/* Texts that are made for the headers of a reply. */
struct header_texts {
    char timing[SERVER_TIMING_SIZE], varies[VARIES_SIZE];
};

/* NULL: the reply has no such header. */
static const char *print_timing(const struct exchange *exchange, char *text)
{
    const struct job *job = &exchange->task.job;

    if (exchange->line.route.id != API_ROUTE_INFER ||
        !job->context->options->server_timing)
        return NULL;
    server_timing_print(&job->times, text);
    return *text ? text : NULL;
}

/* The header that chooses the form of a reply, if it is no error; NULL: none.
 */
static const char *find_form(const struct exchange *exchange)
{
    return exchange->task.job.reply.status < 300 &&
                   exchange->headers.accept_encoding
               ? "Accept-Encoding"
               : NULL;
}

/* The headers of the request on which a reply depends. */
static const char *print_varies(const struct exchange *exchange, char *text)
{
    const char *origins =
        exchange->task.job.context->options->cors_allow_origin;
    const char *form = find_form(exchange);

    if (!origin_varies(origins))
        return form;
    snprintf(text, VARIES_SIZE, "%s%sOrigin", form ? form : "",
             form ? ", " : "");
    return text;
}

static struct reply_headers make_headers(const struct exchange *exchange,
                                         bool close, struct header_texts *texts)
{
    const struct job *job = &exchange->task.job;
    const struct headers *headers = &exchange->headers;

    return (struct reply_headers){
        .request_id = headers->request_id,
        .close = close,
        .encoding = job->coded ? content_coding_name(job->reply_coding) : NULL,
        .varies = print_varies(exchange, texts->varies),
        .origin =
            origin_allowed(job->context->options->cors_allow_origin, headers),
        .requested = headers->cors_headers,
        .timing = print_timing(exchange, texts->timing),
    };
}

/* True if the connection ends with this reply. */
static bool is_last(const struct connection_state *state)
{
    return service_get_phase(state->loop->service) >= SERVICE_DRAINING ||
           (state->age_end_ms > 0 &&
            loop_context_now_ms(state->loop) >= state->age_end_ms);
}

enum engine_verdict exchange_reply_send(struct exchange *exchange)
{
    struct connection_state *state = exchange->connection;
    bool close = is_last(state);
    struct reply_headers headers;
    struct header_texts texts;

    connection_state_enter(state, CONNECTION_SEND);
    exchange->sent = true;
    exchange->task.job.times.sent = clock_now_ns();
    headers = make_headers(exchange, close, &texts);
    return reply_send(&exchange->task.job.reply, &headers, state->engine)
               ? ENGINE_CONTINUE
               : ENGINE_NO_MEMORY;
}

void exchange_reply_send_early(struct exchange *exchange)
{
    const struct api_reply *reply = &exchange->task.job.reply;
    const char *method = exchange->line.method;
    struct header_texts texts;
    struct reply_headers headers = make_headers(exchange, true, &texts);

    exchange->early_status = reply->status;
    reply_send_early(reply, &headers, method && strcmp(method, "HEAD") == 0,
                     exchange->connection->engine);
}

/* The result of the request: a status; 0 when it broke off before its headers
 * were whole. Our own fault is one whether or not the client waited for the
 * reply. */
static int find_status(const struct exchange *exchange, bool whole)
{
    int reply = exchange->task.job.reply.status;

    if (exchange->early_status)
        return exchange->early_status;
    if (reply == 500 || (whole && exchange->sent))
        return reply;
    return exchange->has_headers ? METRICS_CLIENT_GONE : 0;
}

/* How a request ended. */
struct ending {
    int status;           /* METRICS_CLIENT_GONE; 0: no whole headers came */
    uint64_t sent;        /* bytes of the reply's body that went out */
    uint64_t duration_us; /* from the headers; 0 without them */
};

static void count(struct exchange *exchange, const struct ending *end)
{
    const struct job *job = &exchange->task.job;
    struct metrics *metrics = &exchange->connection->loop->metrics;
    struct metrics_request request = {
        .route = exchange->line.route.label,
        .status = end->status,
        .duration_us = end->duration_us,
        .received = exchange->body.len,
        .sent = end->sent,
        .model = job->model,
        .times = job->times,
    };

    metrics_count_request(metrics, &request);
    if (job->rejection >= 0)
        metrics_count_rejection(metrics,
                                (enum metrics_rejection)job->rejection);
}

enum {
    ID_SIZE = 160, /* of a request's id, as text */

    /* What a client sends is cut, so that it cannot push the other fields out
     * of the line. */
    METHOD_SIZE = 33,
    PATH_SIZE = 257,
    AGENT_SIZE = 201,
};

/* The texts that are made for a line. */
struct log_texts {
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

static void print_request(const struct exchange *exchange,
                          struct log_texts *texts)
{
    const struct request_line *line = &exchange->line;

    print_id(exchange, texts->id);
    peer_text(&exchange->connection->peer, texts->client);
    snprintf(texts->method, METHOD_SIZE, "%s",
             line->method ? line->method : "");
    snprintf(texts->path, PATH_SIZE, "%s", line->path ? line->path : "");
}

/* What not every request has. */
static void print_more(const struct exchange *exchange, struct log_texts *texts,
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

static void write_line(const struct exchange *exchange,
                       const struct ending *end)
{
    struct log_texts texts;
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

void exchange_reply_report(struct exchange *exchange, bool whole)
{
    const struct job *job = &exchange->task.job;
    struct ending end = {
        .status = find_status(exchange, whole),
        .sent = engine_sent_body(exchange->connection->engine),
    };

    if (exchange->has_headers)
        end.duration_us = (clock_now_ns() - job->times.arrived) / 1000;
    count(exchange, &end);
    if (job_log_wants(&exchange->task.job, end.status))
        write_line(exchange, &end);
}
