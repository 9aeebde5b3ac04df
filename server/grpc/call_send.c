/* What a call sends: messages, a status; and what is counted and logged of it.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/core/require.h"
#include "server/base/clock.h"
#include "server/grpc/call.h"
#include "server/work/job.h"

enum {
    COPIED_PIECE = 512
}; /* bytes that cost less to copy than a part to
    * send */

/* Puts the job's reply on its way out. */
static void load(struct call *call)
{
    const struct job *job = &call->exchange.task.job;
    struct call_out *out = &call->out;
    size_t len = api_reply_bytes(&job->reply);

    REQUIRE_WITH(call->stage <= CALL_WATCHING, "stage %d", call->stage);
    REQUIRE_WITH(out->left == 0 && call->unsent == 0, "%zu, %zu", out->left,
                 call->unsent);
    *out = (struct call_out){.at = -1, .len = len + FRAMING_PREFIX};
    framing_write(out->prefix, job->coded, (uint32_t)len);
    out->left = out->len;
}

void call_finish(struct call *call, enum api_grpc_code code, const char *text)
{
    REQUIRE_WITH(call->stage <= CALL_WATCHING, "stage %d", call->stage);
    call->code = code;
    free(call->text);
    call->text = *text ? framing_escape(text) : NULL;
    call->stage = CALL_ENDING;
}

void call_send_message(struct call *call)
{
    if (api_reply_bytes(&call->exchange.task.job.reply) > UINT32_MAX) {
        call_finish(call, API_GRPC_RESOURCE_EXHAUSTED,
                    "the answer has 4 GiB or more, which gRPC cannot carry");
        return;
    }
    load(call);
    call->stage =
        call->method->kind == API_GRPC_UNARY ? CALL_LAST : CALL_SENDING;
}

/* An inference's reply was leased before it was made; the others are short. */
static bool reserve(struct call *call)
{
    struct job *job = &call->exchange.task.job;
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
    struct job *job = &call->exchange.task.job;
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
    struct api_grpc_status status =
        api_grpc_error(&call->exchange.task.job.reply);

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
    const struct api_reply *reply = &call->exchange.task.job.reply;

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

/* A stream between two messages has nothing to report. */
static bool has_something(const struct call *call)
{
    return call->stage != CALL_OPEN && (call->current || !call->method ||
                                        call->exchange.task.job.reply.status ||
                                        call->method->kind == API_GRPC_UNARY);
}

void call_report(struct call *call, bool is_answered)
{
    struct metadata *metadata = &call->metadata;
    const char *path;
    struct exchange_end end = {
        .route = call->method ? call->method->label : NULL,
        .status = exchange_status(&call->exchange, is_answered),
        .received =
            call->current ? call->current->body.len : (size_t)call->received,
        .sent = call_is_stream(call) ? call->out.len : call->sent,
    };

    if (!has_something(call) || !exchange_count(&call->exchange, &end))
        return;
    path = metadata_find(metadata, ":path");
    exchange_log(&call->exchange, &end,
                 &(struct exchange_head){
                     .method = "gRPC",
                     .path = path ? path : "",
                     .id = metadata_find(metadata, "x-request-id"),
                     .traceparent = metadata_find(metadata, "traceparent"),
                     .user_agent = metadata_find(metadata, "user-agent"),
                 });
}
