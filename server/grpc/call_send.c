/* What a call sends: messages, a status; and what is counted and logged of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/core/require.h"
#include "server/base/clock.h"
#include "server/grpc/call.h"
#include "server/message/headers.h"
#include "server/work/job.h"

enum {
    /* Longest reply that the loop compresses itself: texts. */
    LOOP_DEFLATES = 64 << 10,
    COPIED_PIECE = 512, /* bytes that cost less to copy than a part to send */
};

static void load(struct call *call, bool with_prefix)
{
    const struct job *job = &call->task.job;
    const struct api_reply *reply = &job->reply;
    struct call_out *out = &call->out;
    size_t len = api_reply_bytes(reply);

    REQUIRE_WITH(call->stage <= CALL_WATCHING, "stage %d", call->stage);
    REQUIRE_WITH(out->left == 0 && call->unsent == 0, "%zu, %zu", out->left,
                 call->unsent);
    *out = (struct call_out){.at = with_prefix ? -1 : 0,
                             .len = len + (with_prefix ? FRAMING_PREFIX : 0)};
    if (with_prefix)
        framing_write(out->prefix, job->coded, (uint32_t)len);
    out->left = out->len;
}

static void set_text(struct call *call, const char *text)
{
    char escaped[CALL_TEXT];
    size_t len = framing_escape(text, escaped, sizeof(escaped));

    free(call->text);
    call->text = len > 0 ? strndup(escaped, len) : NULL;
}

void call_finish(struct call *call, enum api_grpc_code code, const char *text)
{
    REQUIRE_WITH(call->stage <= CALL_WATCHING, "stage %d", call->stage);
    call->code = code;
    set_text(call, text);
    if (call->is_plain)
        load(call, false);
    call->stage = call->is_plain ? CALL_LAST : CALL_ENDING;
}

/* A reply that is not an inference's is written by the loop. Those of a WATCH
 * have a few bytes. */
static void compress(struct call *call)
{
    struct job *job = &call->task.job;

    if (call->method->kind == API_GRPC_WATCH || !call->reply_coding ||
        job->coded || job->reply_coding ||
        api_reply_bytes(&job->reply) > LOOP_DEFLATES)
        return;
    job->reply_coding = call->reply_coding;
    job_deflate(job);
}

void call_send_message(struct call *call)
{
    compress(call);
    if (api_reply_bytes(&call->task.job.reply) > UINT32_MAX) {
        call_finish(call, API_GRPC_RESOURCE_EXHAUSTED,
                    "the answer has 4 GiB or more, which gRPC cannot carry");
        return;
    }
    load(call, true);
    call->stage =
        call->method->kind == API_GRPC_UNARY ? CALL_LAST : CALL_SENDING;
}

/* An inference's reply was leased before it was made; the others are short. */
static bool reserve(struct call *call)
{
    struct job *job = &call->task.job;
    size_t bytes = api_reply_bytes(&job->reply);
    enum lease_verdict verdict =
        call->method->is_infer ? LEASE_OK : job_reserve(job, bytes);

    if (verdict == LEASE_OK)
        return true;
    job_fail_reservation(job, verdict, bytes, "the answer");
    call_refuse(call);
    return false;
}

void call_send(struct call *call)
{
    struct job *job = &call->task.job;
    struct api_grpc_status status;

    job->times.sent = clock_now_ns();
    api_grpc_reply(&call->grpc, &job->request, &job->reply, &status);
    if (status.code != API_GRPC_OK)
        call_finish(call, status.code, status.text);
    else if (reserve(call))
        call_send_message(call);
}

void call_refuse(struct call *call)
{
    struct api_grpc_status status = api_grpc_error(&call->task.job.reply);

    call_finish(call, status.code, status.text);
}

size_t call_next_data(const struct call *call, size_t len, bool *last)
{
    size_t left = call_has_out(call) ? call->out.left : 0;
    size_t size = len < left ? len : left;

    *last = call->stage >= CALL_LAST && size == left;
    return size;
}

static struct api_piece piece_at(const struct call *call, int at)
{
    const struct api_reply *reply = &call->task.job.reply;

    REQUIRE_WITH(at < reply->piece_count, "%d of %d", at, reply->piece_count);
    return at < 0 ? (struct api_piece){call->out.prefix, FRAMING_PREFIX}
                  : reply->pieces[at];
}

void call_put(struct call *call, struct output *output, size_t len)
{
    struct call_out *out = &call->out;

    REQUIRE(call_has_out(call));
    REQUIRE_WITH(len <= out->left, "%zu of %zu", len, out->left);
    out->left -= len;
    call->sent += len;
    while (len > 0) {
        struct api_piece piece = piece_at(call, out->at);
        const char *from = (const char *)piece.data + out->offset;
        size_t part = piece.len - out->offset;

        part = part < len ? part : len;
        if (part > 0 && part <= COPIED_PIECE &&
            part <= OUTPUT_COPIED - output->copied_len)
            output_copy(output, from, part);
        else if (part > 0)
            output_borrow(output, from, part, &call->unsent);
        len -= part;
        out->offset += part;
        if (out->offset == piece.len) {
            out->at++;
            out->offset = 0;
        }
    }
}

enum {
    ID_SIZE = 160, /* of a request's id, as text */
    /* What a client sends is cut, so that it cannot push the other fields out
     * of the line. */
    PATH_SIZE = 129,
    AGENT_SIZE = 201,
};

/* The client's x-request-id or, without one, an id made up. */
static void print_id(struct call *call, char text[ID_SIZE])
{
    const struct loop_context *loop = call->stream->loop;
    const char *id = metadata_find(&call->metadata, "x-request-id");

    if (id && headers_is_safe_id(id))
        snprintf(text, ID_SIZE, "%s", id);
    else
        snprintf(text, ID_SIZE, "%08x-%x-%llx", loop->service->instance,
                 (unsigned)loop->index, (unsigned long long)call->number);
}

static void write_line(struct call *call, const struct metrics_request *ended)
{
    const char *sent_path = metadata_find(&call->metadata, ":path");
    const char *sent_agent = metadata_find(&call->metadata, "user-agent");
    const char *parent = metadata_find(&call->metadata, "traceparent");
    char id[ID_SIZE], client[PEER_TEXT_SIZE], path[PATH_SIZE];
    char agent[AGENT_SIZE], trace[TRACE_ID_DIGITS + 1];
    struct job_log_request request = {.id = id,
                                      .client = client,
                                      .method = "gRPC",
                                      .path = path,
                                      .status = ended->status,
                                      .received = ended->received,
                                      .sent = ended->sent,
                                      .duration_us = ended->duration_us};

    print_id(call, id);
    peer_text(call->stream->peer, client);
    snprintf(path, sizeof(path), "%s", sent_path ? sent_path : "");
    if (parent && trace_context_is_valid(parent)) {
        snprintf(trace, sizeof(trace), "%s", trace_context_id(parent));
        request.trace_id = trace;
    }
    if (sent_agent) {
        snprintf(agent, sizeof(agent), "%s", sent_agent);
        request.user_agent = agent;
    }
    job_log(&call->task.job, &request);
}

/* HTTP's status. A stream that was closed before its reply was sent has none,
 * but our own fault is one all the same. */
static int find_status(const struct call *call, bool is_answered)
{
    int reply = call->task.job.reply.status;

    return reply == 500 || (is_answered && reply != 0) ? reply
                                                       : METRICS_CLIENT_GONE;
}

/* A stream between two messages has nothing to report. */
static bool has_something(const struct call *call)
{
    return call->stage != CALL_OPEN &&
           (call->current || !call->method || call->task.job.reply.status ||
            call->method->kind == API_GRPC_UNARY);
}

void call_report(struct call *call, bool is_answered)
{
    const struct job *job = &call->task.job;
    struct metrics *metrics = &call->stream->loop->metrics;
    struct metrics_request request = {
        .route = call->method ? call->method->label : NULL,
        .status = find_status(call, is_answered),
        .received =
            call->current ? call->current->body.len : (size_t)call->received,
        .sent = call_is_stream(call) ? call->out.len : call->sent,
        .model = job->model,
        .times = job->times,
    };

    if (!has_something(call))
        return;
    request.duration_us = (clock_now_ns() - job->times.arrived) / 1000;
    metrics_count_request(metrics, &request);
    if (job->rejection >= 0)
        metrics_count_rejection(metrics,
                                (enum metrics_rejection)job->rejection);
    if (job_log_wants(job, request.status))
        write_line(call, &request);
}
