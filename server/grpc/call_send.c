/* What a call sends: headers, messages, a status. */
#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/clock/clock.h"
#include "server/grpc/call.h"
#include "server/message/headers.h"

enum { FIELDS_MOST = 10 };

/* The header fields of a reply, and its trailers. Borrows texts of the call.
 * Zeroed: no fields. */
struct fields {
    nghttp2_nv all[FIELDS_MOST];
    size_t count;
    char number[12]; /* made for a value */
};

/* `name` is a literal. nghttp2 copies the value. */
static void add(struct fields *fields, const char *name, const char *value)
{
    fields->all[fields->count++] = (nghttp2_nv){
        .name = (unsigned char *)(uintptr_t)name,
        .value = (unsigned char *)(uintptr_t)value,
        .namelen = strlen(name),
        .valuelen = strlen(value),
        .flags = NGHTTP2_NV_FLAG_NO_COPY_NAME,
    };
}

/* grpc-status and grpc-message. */
static void add_status(struct fields *fields, const struct call *call)
{
    snprintf(fields->number, sizeof(fields->number), "%d", (int)call->code);
    add(fields, "grpc-status", fields->number);
    if (call->text)
        add(fields, "grpc-message", call->text);
}

static void add_id(struct fields *fields, struct call *call)
{
    const char *id = metadata_find(&call->metadata, "x-request-id");

    if (id && headers_is_safe_id(id))
        add(fields, "x-request-id", id);
}

/* Of a reply in gRPC, the status aside. */
static void add_head(struct fields *fields, struct call *call)
{
    bool unsupported = call->code == API_GRPC_UNIMPLEMENTED;

    add(fields, ":status", "200");
    add(fields, "content-type", "application/grpc");
    if (call->reply_coding)
        add(fields, "grpc-encoding", content_coding_name(call->reply_coding));
    if (unsupported || call->coding)
        add(fields, "grpc-accept-encoding", "identity,gzip,deflate");
    add_id(fields, call);
}

/* Of a reply to a client that does not speak gRPC. */
static void add_plain_head(struct fields *fields, const struct call *call)
{
    const struct api_reply *reply = &call->task.job.reply;

    snprintf(fields->number, sizeof(fields->number), "%d", reply->status);
    add(fields, ":status", fields->number);
    add(fields, "content-type", reply->content_type);
    if (reply->status == 405)
        add(fields, "allow", "POST");
}

enum {
    /* Longest reply that the loop compresses itself: texts. */
    LOOP_DEFLATES = 64 << 10,
    COPIED_PIECE = 512, /* bytes that cost less to copy than a part to send */
};

static ssize_t read_data(nghttp2_session *h2, int32_t stream, uint8_t *data,
                         size_t len, uint32_t *flags,
                         nghttp2_data_source *source, void *session)
{
    struct call *call = source->ptr;
    bool last;
    size_t size = call_next_data(call, len, &last);

    (void)h2;
    (void)stream;
    (void)data;
    (void)session;
    call->deferred = size == 0 && !last;
    if (call->deferred)
        return NGHTTP2_ERR_DEFERRED;
    if (size > 0)
        *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (last)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (last && !call->is_plain) {
        struct fields fields = {.count = 0};

        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        add_status(&fields, call);
        nghttp2_submit_trailer(call->session->h2, call->stream, fields.all,
                               fields.count);
        call->finished = true;
    }
    return (ssize_t)size;
}

/* Lets nghttp2 ask for data, behind the reply's headers. */
static void offer(struct call *call)
{
    nghttp2_data_provider provider = {{.ptr = call}, read_data};
    struct fields fields = {.count = 0};

    if (call->deferred)
        nghttp2_session_resume_data(call->session->h2, call->stream);
    if (call->started)
        return;
    call->started = true;
    if (call->is_plain)
        add_plain_head(&fields, call);
    else
        add_head(&fields, call);
    nghttp2_submit_response(call->session->h2, call->stream, fields.all,
                            fields.count, &provider);
}

/* A status alone: Trailers-Only. */
static void send_status(struct call *call)
{
    struct fields fields = {.count = 0};

    call->started = call->finished = true;
    add_head(&fields, call);
    add_status(&fields, call);
    nghttp2_submit_response(call->session->h2, call->stream, fields.all,
                            fields.count, NULL);
}

/* A small reply leaves the buffer of the socket to a large one beside it. */
static void fit_buffer(struct session *session, size_t len)
{
    struct socket_buffers *buffers = &session->transport.buffers;

    if (len >= SOCKET_BUFFERS_LARGE || buffers->send_wide)
        socket_buffers_send(buffers, session_unsent(session));
}

static void load(struct call *call, bool with_prefix)
{
    const struct job *job = &call->task.job;
    const struct api_reply *reply = &job->reply;
    struct call_out *out = &call->out;
    size_t len = api_reply_bytes(reply);

    *out = (struct call_out){.count = 0};
    if (with_prefix) {
        framing_write(out->prefix, job->coded, (uint32_t)len);
        out->pieces[out->count++] =
            (struct api_piece){out->prefix, FRAMING_PREFIX};
        out->left = FRAMING_PREFIX;
    }
    for (int i = 0; i < reply->piece_count; i++)
        out->pieces[out->count++] = reply->pieces[i];
    out->left += len;
    out->len = out->left;
    call->has_out = true;
    fit_buffer(call->session, out->len);
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
    if (call->finishing || call->gone)
        return;
    call->finishing = true;
    call->code = code;
    set_text(call, text);
    if (call->is_plain)
        load(call, false);
    if (call->is_plain || call->started)
        offer(call);
    else
        send_status(call);
}

/* A reply that is not an inference's is written by the loop. */
static void compress(struct call *call)
{
    struct job *job = &call->task.job;

    if (!call->reply_coding || job->coded || job->reply_coding ||
        api_reply_bytes(&job->reply) > LOOP_DEFLATES)
        return;
    job->reply_coding = call->reply_coding;
    coded_reply_deflate(job);
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
    if (call->method->kind == API_GRPC_UNARY)
        call->finishing = true;
    else
        call->session->sending_streams++;
    offer(call);
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
    if (call->finishing || call->gone)
        return;
    api_grpc_reply(&call->grpc, &job->request, &job->reply, &status);
    if (status.code != API_GRPC_OK)
        call_finish(call, status.code, status.text);
    else if (reserve(call))
        call_send_message(call);
}

/* As of a unary call, whose status has the reply's text. */
void call_refuse(struct call *call)
{
    struct api_grpc_call unary = {
        .method = api_grpc_find("/inference.GRPCInferenceService/ModelInfer")};
    struct job *job = &call->task.job;
    struct api_grpc_status status;

    api_grpc_reply(&unary, &job->request, &job->reply, &status);
    call_finish(call, status.code, status.text);
    api_grpc_call_free(&unary);
}

size_t call_next_data(struct call *call, size_t len, bool *last)
{
    size_t left = call->has_out ? call->out.left : 0;
    size_t size = len < left ? len : left;

    *last = call->finishing && size == left;
    return size;
}

void call_put(struct call *call, struct output *output, size_t len)
{
    struct call_out *out = &call->out;

    out->left -= len;
    call->sent += len;
    while (len > 0) {
        const struct api_piece *piece = &out->pieces[out->at];
        const char *from = (const char *)piece->data + out->offset;
        size_t part = piece->len - out->offset;

        part = part < len ? part : len;
        if (part > 0 && part <= COPIED_PIECE &&
            part <= OUTPUT_COPIED - output->copied_len)
            output_copy(output, from, part);
        else if (part > 0)
            output_borrow(output, from, part, &call->unsent);
        len -= part;
        out->offset += part;
        if (out->offset == piece->len) {
            out->at++;
            out->offset = 0;
        }
    }
}
