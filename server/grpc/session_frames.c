/* HTTP/2: the set-up of nghttp2, and its reports of a session. */
#include <assert.h>
#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/core/require.h"
#include "server/grpc/session.h"
#include "server/message/headers.h"

/* nghttp2_stream and its place in a table are a part of CALL_COST. */
static_assert(sizeof(struct stream) + METADATA_FIRST + 1024 <= CALL_COST,
              "a call costs what is leased for it");

enum {
    /* SETTINGS and PING that are not acknowledged yet; entries of a SETTINGS
     * frame; CONTINUATION frames of one header block. */
    MOST_ACKS = 100,
    MOST_SETTINGS = 16,
    MOST_CONTINUATIONS = 8,
};

static bool submit_settings(struct session *session)
{
    const struct options *options = loop_context_options(session->state.loop);
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS,
         (uint32_t)options->grpc_max_streams},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, SESSION_WINDOW},
        {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, SESSION_FRAME},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, METADATA_MAX},
    };

    return nghttp2_submit_settings(session->h2, NGHTTP2_FLAG_NONE, settings,
                                   sizeof(settings) / sizeof(settings[0])) ==
               0 &&
           nghttp2_session_set_local_window_size(session->h2, NGHTTP2_FLAG_NONE,
                                                 0, SESSION_WINDOW_ALL) == 0;
}

/* nghttp2 drops frames when an allocation fails, and callers would wait for
 * ever: so any failed allocation ends the session. */
static void *note(void *memory, struct session *session)
{
    session->failed |= memory == NULL;
    return memory;
}

static void *allocate(size_t size, void *session)
{
    return note(malloc(size ? size : 1), session);
}

static void *allocate_zeroed(size_t count, size_t size, void *session)
{
    return note(calloc(count ? count : 1, size ? size : 1), session);
}

static void *grow(void *memory, size_t size, void *session)
{
    return note(realloc(memory, size ? size : 1), session);
}

static void give(void *memory, void *session)
{
    (void)session;
    free(memory);
}

enum { FIELDS_MOST = 10 };

/* The header fields of a reply, and its trailers. Borrows texts of the call.
 * The count is 0 at first. */
struct fields {
    nghttp2_nv all[FIELDS_MOST];
    size_t count;
    char number[12], text[FRAMING_ESCAPED]; /* made for values */
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
    snprintf(fields->number, sizeof(fields->number), "%d",
             (int)call->status.code);
    add(fields, "grpc-status", fields->number);
    framing_escape(call->status.text, fields->text);
    if (*fields->text)
        add(fields, "grpc-message", fields->text);
}

/* gRPC's status aside, which only replies of gRPC have. */
static void add_head(struct fields *fields, struct call *call)
{
    const char *id = metadata_find(&call->metadata, "x-request-id");
    bool unsupported = call->status.code == API_GRPC_UNIMPLEMENTED;
    bool no_post = call->is_foreign && call->status.fault == 405;

    add(fields, ":status", no_post ? "405" : call->is_foreign ? "415" : "200");
    add(fields, "content-type",
        call->is_foreign ? "application/json" : "application/grpc");
    if (no_post)
        add(fields, "allow", "POST");
    if (call->reply_coding)
        add(fields, "grpc-encoding", content_coding_name(call->reply_coding));
    if ((unsupported && !call->is_foreign) || call->in.coding)
        add(fields, "grpc-accept-encoding", "identity,gzip,deflate");
    if (id && headers_is_safe_id(id))
        add(fields, "x-request-id", id);
}

static ssize_t read_data(nghttp2_session *h2, int32_t id, uint8_t *data,
                         size_t len, uint32_t *flags,
                         nghttp2_data_source *source, void *session)
{
    struct stream *stream = source->ptr;
    bool last;
    size_t size = call_next_data(&stream->call, len, &last);

    (void)data;
    (void)session;
    if (size == 0 && !last)
        return NGHTTP2_ERR_DEFERRED;
    if (size > 0)
        *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (last)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (last && !stream->call.is_foreign) {
        struct fields fields = {.count = 0};

        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        add_status(&fields, &stream->call);
        nghttp2_submit_trailer(h2, id, fields.all, fields.count);
    }
    return (ssize_t)size;
}

/* The first frames of a call: the headers, with the data behind them, or a
 * status alone (Trailers-Only). */
static void submit_reply(struct stream *stream)
{
    nghttp2_data_provider provider = {{.ptr = stream}, read_data};
    struct call *call = &stream->call;
    struct fields fields;

    fields.count = 0;
    add_head(&fields, call);
    if (call->stage == CALL_ENDING)
        add_status(&fields, call);
    nghttp2_submit_response(stream->session->h2, stream->id, fields.all,
                            fields.count,
                            call->stage == CALL_ENDING ? NULL : &provider);
}

/* Tells nghttp2 once that a call has bytes to send. */
static void offer(struct stream *stream)
{
    struct session *session = stream->session;
    const struct call *call = &stream->call;

    if (stream->offered || !(call_has_out(call) || call->stage == CALL_ENDING))
        return;
    REQUIRE(session->h2);
    REQUIRE(call->stage != CALL_LAST || !stream->started);
    stream->offered = true;
    if (call_has_out(call) && call->out.len >= SOCKET_BUFFERS_LARGE)
        socket_buffers_send(&session->transport.buffers,
                            session_unsent(session));
    if (stream->started)
        nghttp2_session_resume_data(session->h2, stream->id);
    else
        submit_reply(stream);
    stream->started = true;
}

void session_advance(struct stream *stream)
{
    if (stream->session->stage >= SESSION_FLOODED)
        return;
    call_advance(&stream->call);
    offer(stream);
}

void session_on_sent(struct stream *stream)
{
    struct session *session = stream->session;
    struct call *call = &stream->call;

    if (stream->closed) {
        call_release(call);
        return;
    }
    if (!call_on_sent(call))
        return;
    REQUIRE(stream->offered);
    stream->offered = false;
    if (call_is_stream(&stream->call))
        session_restage(session);
    session_advance(stream);
}

void session_close_stream(struct stream *stream)
{
    struct session *session = stream->session;
    struct call *call = &stream->call;

    if (session->data.stream == stream)
        session->data.stream = NULL;
    stream->closed = true;
    LIST_REMOVE(stream, link);
    session_restage(session);
    call_on_close(call);
    call_release(call);
}

static struct stream *stream_of(struct call *call)
{
    return (struct stream *)call;
}

/* The windows are as wide as the lease, within limits: of the socket, too. */
static void widen(struct stream *stream)
{
    struct session *session = stream->session;
    size_t window = stream->call.in.message.body.reserved;
    size_t before = stream->reserved;

    stream->reserved = window;
    if (window <= before)
        return;
    if (call_receives_large(&stream->call)) {
        session->was_large = true;
        socket_buffers_receive(&session->transport.buffers, false);
    }
    if (window <= SESSION_WINDOW)
        return;
    if (window > SESSION_WINDOW_MOST)
        window = SESSION_WINDOW_MOST;
    nghttp2_session_set_local_window_size(session->h2, NGHTTP2_FLAG_NONE,
                                          stream->id, (int32_t)window);
}

unsigned char *session_place(struct stream *stream, size_t *size)
{
    unsigned char *place = call_place(&stream->call, size);

    widen(stream);
    return place;
}

/* Whether the open window is wide enough for the rest of the call: an update
 * would only wake a client that waits for its reply. */
static bool is_wide_enough(const struct stream *stream)
{
    const struct call *call = &stream->call;
    int32_t window = nghttp2_session_get_stream_local_window_size(
        stream->session->h2, stream->id);

    return message_has_prefix(&call->in.message) &&
           call->method->kind == API_GRPC_UNARY &&
           window >= SESSION_WINDOW_PADDING &&
           message_missing(&call->in.message) <=
               (size_t)(window - SESSION_WINDOW_PADDING);
}

void stream_consume(struct call *call, size_t len)
{
    struct stream *stream = stream_of(call);

    REQUIRE(stream->session->h2);
    widen(stream);
    stream->unopened += len;
    if (is_wide_enough(stream))
        return;
    nghttp2_session_consume_stream(stream->session->h2, stream->id,
                                   stream->unopened);
    stream->unopened = 0;
}

void stream_wake(struct call *call)
{
    struct stream *stream = stream_of(call);

    session_advance(stream);
    session_kick(stream->session);
}

void stream_free(struct call *call)
{
    struct stream *stream = stream_of(call);
    struct session *session = stream->session;

    REQUIRE(session->living > 0);
    session->living--;
    free(stream);
    session_release(session);
}

bool session_open_h2(struct session *session)
{
    nghttp2_mem memory = {session, allocate, give, allocate_zeroed, grow};
    const struct options *options = loop_context_options(session->state.loop);
    uint64_t resets = (uint64_t)options->grpc_max_resets;

    flood_init(&session->flood, resets, session_now_ms(session));
    session->allowance = true;
    if (nghttp2_session_server_new3(
            &session->h2, session_port(session)->callbacks, session,
            session_port(session)->option, &memory) != 0 ||
        !submit_settings(session))
        return false;
    session->stage = SESSION_SERVES;
    session_restage(session);
    return true;
}

static struct stream *find_stream(struct session *session, int32_t id)
{
    return nghttp2_session_get_stream_user_data(session->h2, id);
}

static void begin_data(struct session *session, const nghttp2_frame_hd *hd)
{
    session->data.stream = NULL;
    if (hd->type != NGHTTP2_DATA || (hd->flags & NGHTTP2_FLAG_PADDED))
        return;
    session->data.stream = find_stream(session, hd->stream_id);
    session->data.length = session->data.left = hd->length;
}

/* A stream must have a larger number than those before. nghttp2 ignores it if
 * not, for it may be one that was closed and forgotten; it remembers as many of
 * those as may be open. */
static bool goes_back(const struct session *session, const nghttp2_frame_hd *hd)
{
    return hd->type == NGHTTP2_HEADERS &&
           hd->stream_id <=
               nghttp2_session_get_last_proc_stream_id(session->h2) &&
           !nghttp2_session_find_stream(session->h2, hd->stream_id);
}

/* They begin, or are whole or refused. */
static void set_headers(struct session *session, bool open)
{
    if (!open && !session->headers.open)
        return;
    session->headers.open = open;
    session_restage(session);
}

static int on_begin_frame(nghttp2_session *h2, const nghttp2_frame_hd *hd,
                          void *context)
{
    struct session *session = context;

    begin_data(session, hd);
    flood_begin(&session->flood, hd->length);
    if (hd->type == NGHTTP2_HEADERS) {
        set_headers(session, true);
        session->headers.len = hd->length;
    } else if (hd->type == NGHTTP2_CONTINUATION) {
        session->headers.len += hd->length;
    } else {
        set_headers(session, false);
    }
    if (session->headers.len > SESSION_HEADERS)
        nghttp2_session_terminate_session(h2, NGHTTP2_FRAME_SIZE_ERROR);
    if (goes_back(session, hd))
        nghttp2_session_terminate_session(h2, NGHTTP2_PROTOCOL_ERROR);
    return 0;
}

/* NULL without memory for it. */
static struct stream *open_stream(struct session *session, int32_t id)
{
    struct stream *stream = calloc(1, sizeof(*stream));

    if (!stream)
        return NULL;
    if (!call_open(&stream->call, session->state.loop, &session->state.peer,
                   &session->allowance, LIST_EMPTY(&session->streams))) {
        free(stream);
        return NULL;
    }
    stream->session = session;
    stream->id = id;
    LIST_INSERT_HEAD(&session->streams, stream, link);
    session->living++;
    return stream;
}

static int on_begin_headers(nghttp2_session *h2, const nghttp2_frame *frame,
                            void *context)
{
    struct session *session = context;
    struct stream *stream;

    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    flood_progress(&session->flood);
    stream = open_stream(session, frame->hd.stream_id);
    /* The client may ask again, at once or elsewhere. */
    if (!stream)
        return nghttp2_submit_rst_stream(
            h2, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_REFUSED_STREAM);
    return nghttp2_session_set_stream_user_data(h2, frame->hd.stream_id,
                                                stream);
}

/* Trailers of a client mean nothing in gRPC, but they count. */
static int on_header(nghttp2_session *h2, const nghttp2_frame *frame,
                     const uint8_t *name, size_t name_len, const uint8_t *value,
                     size_t value_len, uint8_t flags, void *context)
{
    struct stream *stream = find_stream(context, frame->hd.stream_id);

    (void)h2;
    (void)flags;
    if (!stream)
        return 0;
    call_on_field(&stream->call, name, name_len, value, value_len);
    /* Of a few bytes, HPACK makes any number of fields. */
    return stream->call.metadata.list_size > (size_t)16 * METADATA_MAX
               ? NGHTTP2_ERR_CALLBACK_FAILURE
               : 0;
}

/* Headers that are too long end a connection that is not gRPC's. */
static void on_request(struct session *session, struct stream *stream,
                       const nghttp2_frame *frame)
{
    if (session->headers.len > METADATA_MAX && !call_subtype(&stream->call))
        nghttp2_session_terminate_session(session->h2,
                                          NGHTTP2_FRAME_SIZE_ERROR);
    if (frame->headers.cat == NGHTTP2_HCAT_REQUEST)
        call_on_headers(&stream->call);
}

static int on_frame_recv(nghttp2_session *h2, const nghttp2_frame *frame,
                         void *context)
{
    struct session *session = context;
    struct stream *stream = find_stream(session, frame->hd.stream_id);

    (void)h2;
    if (frame->hd.type == NGHTTP2_RST_STREAM &&
        !flood_reset(&session->flood, session_now_ms(session)))
        session_refuse_flood(session);
    if (frame->hd.type == NGHTTP2_HEADERS)
        set_headers(session, false);
    /* Ours was behind the first GOAWAY. */
    if (frame->hd.type == NGHTTP2_PING &&
        (frame->hd.flags & NGHTTP2_FLAG_ACK) &&
        session->stage == SESSION_NOTICED)
        session->stage = SESSION_ACKNOWLEDGED;
    if (!stream ||
        (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA))
        return 0;
    if (frame->hd.type == NGHTTP2_HEADERS)
        on_request(session, stream, frame);
    if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) {
        flood_progress(&session->flood);
        call_on_end(&stream->call);
    }
    session_advance(stream);
    return 0;
}

static int on_data(nghttp2_session *h2, uint8_t flags, int32_t id,
                   const uint8_t *data, size_t len, void *context)
{
    struct session *session = context;
    struct stream *stream = find_stream(session, id);

    (void)flags;
    nghttp2_session_consume_connection(h2, len);
    session->data.left -= len < session->data.left ? len : session->data.left;
    if (!stream || session->stage >= SESSION_FLOODED)
        return 0;
    if (call_on_data(&stream->call, data, len)) {
        flood_progress(&session->flood);
        flood_earn_data(&session->flood, len);
    }
    session_advance(stream);
    return 0;
}

static int on_stream_close(nghttp2_session *h2, int32_t id, uint32_t error,
                           void *context)
{
    struct stream *stream = find_stream(context, id);

    (void)h2;
    (void)error;
    if (stream)
        session_close_stream(stream);
    return 0;
}

/* An invalid frame makes nghttp2 reset the stream: it counts like a client's
 * reset. The rest of refused headers is not awaited. */
static int on_invalid_frame(nghttp2_session *h2, const nghttp2_frame *frame,
                            int error, void *context)
{
    struct session *session = context;

    (void)h2;
    (void)error;
    if (frame->hd.type == NGHTTP2_HEADERS)
        set_headers(session, false);
    if (!flood_reset(&session->flood, session_now_ms(session)))
        session_refuse_flood(session);
    return 0;
}

/* The status was sent; the reply is whole. */
static void on_complete(struct stream *stream)
{
    struct session *session = stream->session;
    struct call *call = &stream->call;

    REQUIRE_WITH(call->stage == CALL_LAST || call->stage == CALL_ENDING,
                 "stage %d", call->stage);
    REQUIRE_WITH(call->out.left == 0, "%zu", call->out.left);
    call->stage = CALL_SENT;
    flood_earn(&session->flood,
               call->half_closed ? FLOOD_EARNED : FLOOD_REFUSED);
    /* The rest of a refused body is not wanted. */
    if (!call->half_closed)
        nghttp2_submit_rst_stream(session->h2, NGHTTP2_FLAG_NONE, stream->id,
                                  NGHTTP2_NO_ERROR);
}

static int on_frame_send(nghttp2_session *h2, const nghttp2_frame *frame,
                         void *context)
{
    struct stream *stream = find_stream(context, frame->hd.stream_id);

    (void)h2;
    if (stream && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
        on_complete(stream);
    return 0;
}

/* A DATA frame: its head is copied, its bytes are sent from where they lie. */
static int send_data(nghttp2_session *h2, nghttp2_frame *frame,
                     const uint8_t *head, size_t len,
                     nghttp2_data_source *source, void *context)
{
    struct stream *stream = source->ptr;
    struct session *session = context;

    (void)h2;
    (void)frame;
    if (!output_fits(&session->output, CALL_PIECES, 9))
        return NGHTTP2_ERR_WOULDBLOCK;
    output_copy(&session->output, head, 9);
    flood_earn(&session->flood, FLOOD_EARNED);
    call_put(&stream->call, &session->output, len);
    return 0;
}

/* nghttp2 makes it as short as the windows and the client's frames. */
static ssize_t frame_length(nghttp2_session *h2, uint8_t type, int32_t stream,
                            int32_t session_window, int32_t stream_window,
                            uint32_t most, void *context)
{
    (void)h2;
    (void)type;
    (void)stream;
    (void)session_window;
    (void)stream_window;
    (void)most;
    (void)context;
    return SESSION_SENT_FRAME;
}

static void set_callbacks(nghttp2_session_callbacks *to)
{
    nghttp2_session_callbacks_set_on_begin_frame_callback(to, on_begin_frame);
    nghttp2_session_callbacks_set_on_begin_headers_callback(to,
                                                            on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(to, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(to, on_frame_recv);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(to, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(to, on_stream_close);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(
        to, on_invalid_frame);
    nghttp2_session_callbacks_set_on_frame_send_callback(to, on_frame_send);
    nghttp2_session_callbacks_set_send_data_callback(to, send_data);
    nghttp2_session_callbacks_set_data_source_read_length_callback(
        to, frame_length);
}

bool session_setup_init(struct port *port)
{
    if (nghttp2_session_callbacks_new(&port->callbacks) != 0 ||
        nghttp2_option_new(&port->option) != 0)
        return false;
    set_callbacks(port->callbacks);
    nghttp2_option_set_no_auto_window_update(port->option, 1);
    nghttp2_option_set_max_outbound_ack(port->option, MOST_ACKS);
    nghttp2_option_set_max_settings(port->option, MOST_SETTINGS);
    nghttp2_option_set_max_continuations(port->option, MOST_CONTINUATIONS);
    /* metadata_add() strips the blanks that this lets through. */
    nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(
        port->option, 1);
    return true;
}
