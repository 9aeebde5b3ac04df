/* HTTP/2: how nghttp2 is set up, and what it reports of a session. */
#include <nghttp2/nghttp2.h>
#include <stdlib.h>

#include "server/grpc/session.h"

enum {
    /* SETTINGS and PING that are not acknowledged yet; entries of a SETTINGS
     * frame; CONTINUATION frames of one header block. */
    MOST_ACKS = 100,
    MOST_SETTINGS = 16,
    MOST_CONTINUATIONS = 8,
};

static bool submit_settings(struct session *session)
{
    const struct options *options = loop_context_options(session->port->loop);
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

/* nghttp2 cannot go on without memory: what it was asked to send would never
 * be sent, and whoever waits for it would wait for ever. So its session is over
 * wherever it lacks some. */
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

bool session_open_h2(struct session *session)
{
    nghttp2_mem memory = {session, allocate, give, allocate_zeroed, grow};
    const struct options *options = loop_context_options(session->port->loop);
    uint64_t resets = (uint64_t)options->grpc_max_resets;

    flood_init(&session->flood, resets, session_now_ms(session));
    return nghttp2_session_server_new3(&session->h2, session->port->callbacks,
                                       session, session->port->option,
                                       &memory) == 0 &&
           submit_settings(session);
}

enum { EARNING_DATA = 64 << 10 }; /* bytes of data for flood_earn() */

static struct call *find_call(struct session *session, int32_t stream)
{
    return nghttp2_session_get_stream_user_data(session->h2, stream);
}

static void begin_data(struct session *session, const nghttp2_frame_hd *hd)
{
    session->data_call = NULL;
    if (hd->type != NGHTTP2_DATA || (hd->flags & NGHTTP2_FLAG_PADDED))
        return;
    session->data_call = find_call(session, hd->stream_id);
    session->data_length = session->data_left = hd->length;
}

/* A stream must have a larger number than those before. nghttp2 ignores it if
 * not, for it may be one that was closed and forgotten; it remembers as many of
 * those as may be open. */
static bool goes_back(const struct session *session, const nghttp2_frame_hd *hd)
{
    return hd->type == NGHTTP2_HEADERS && hd->stream_id > 0 &&
           hd->stream_id <=
               nghttp2_session_get_last_proc_stream_id(session->h2) &&
           !nghttp2_session_find_stream(session->h2, hd->stream_id);
}

static int on_begin_frame(nghttp2_session *h2, const nghttp2_frame_hd *hd,
                          void *context)
{
    struct session *session = context;

    begin_data(session, hd);
    flood_begin(&session->flood, hd->length);
    if (hd->type == NGHTTP2_HEADERS) {
        session->headers_ms = session_now_ms(session);
        session->headers_len = hd->length;
    } else if (hd->type == NGHTTP2_CONTINUATION) {
        session->headers_len += hd->length;
    } else { /* then they are whole */
        session->headers_ms = 0;
    }
    if (session->headers_len > SESSION_HEADERS)
        nghttp2_session_terminate_session(h2, NGHTTP2_FRAME_SIZE_ERROR);
    if (goes_back(session, hd))
        nghttp2_session_terminate_session(h2, NGHTTP2_PROTOCOL_ERROR);
    return 0;
}

static int on_begin_headers(nghttp2_session *h2, const nghttp2_frame *frame,
                            void *context)
{
    struct session *session = context;
    struct call *call;

    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    flood_progress(&session->flood);
    call = call_open(session, frame->hd.stream_id);
    /* The client may ask again, at once or elsewhere. */
    if (!call)
        return nghttp2_submit_rst_stream(
            h2, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_REFUSED_STREAM);
    return nghttp2_session_set_stream_user_data(h2, frame->hd.stream_id, call);
}

/* Trailers of a client mean nothing in gRPC, but they count. */
static int on_header(nghttp2_session *h2, const nghttp2_frame *frame,
                     const uint8_t *name, size_t name_len, const uint8_t *value,
                     size_t value_len, uint8_t flags, void *context)
{
    struct call *call = find_call(context, frame->hd.stream_id);

    (void)h2;
    (void)flags;
    if (!call)
        return 0;
    call_on_field(call, name, name_len, value, value_len);
    /* Of a few bytes, HPACK makes any number of fields. */
    return call->metadata.list_size > (size_t)16 * METADATA_MAX
               ? NGHTTP2_ERR_CALLBACK_FAILURE
               : 0;
}

/* Headers that are too long end a connection that is not gRPC's. */
static void on_request(struct session *session, struct call *call,
                       const nghttp2_frame *frame)
{
    if (session->headers_len > METADATA_MAX && !call_is_grpc(call))
        nghttp2_session_terminate_session(session->h2,
                                          NGHTTP2_FRAME_SIZE_ERROR);
    if (frame->headers.cat == NGHTTP2_HCAT_REQUEST)
        call_on_headers(call);
}

static int on_frame_recv(nghttp2_session *h2, const nghttp2_frame *frame,
                         void *context)
{
    struct session *session = context;
    struct call *call = find_call(session, frame->hd.stream_id);

    (void)h2;
    if (frame->hd.type == NGHTTP2_RST_STREAM &&
        !flood_reset(&session->flood, session_now_ms(session)))
        session_refuse_flood(session);
    if (frame->hd.type == NGHTTP2_HEADERS)
        session->headers_ms = 0;
    if (frame->hd.type == NGHTTP2_PING && (frame->hd.flags & NGHTTP2_FLAG_ACK))
        session_acknowledge(session, frame->ping.opaque_data);
    if (!call)
        return 0;
    if (frame->hd.type == NGHTTP2_HEADERS)
        on_request(session, call, frame);
    if ((frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) &&
        (frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) {
        flood_progress(&session->flood);
        call_on_end(call);
    }
    return 0;
}

/* A client answers data with WINDOW_UPDATE, and measures with PING. */
static void earn(struct session *session, size_t len)
{
    session->earned += len;
    if (session->earned < EARNING_DATA)
        return;
    session->earned = 0;
    flood_earn(&session->flood, FLOOD_EARNED);
}

static int on_data(nghttp2_session *h2, uint8_t flags, int32_t stream,
                   const uint8_t *data, size_t len, void *context)
{
    struct session *session = context;
    struct call *call = find_call(session, stream);

    (void)flags;
    nghttp2_session_consume_connection(h2, len);
    session->data_left -= len < session->data_left ? len : session->data_left;
    if (call && call_on_data(call, data, len)) {
        flood_progress(&session->flood);
        earn(session, len);
    }
    return 0;
}

void session_consume(struct session *session, int32_t stream, size_t len)
{
    if (len > 0)
        nghttp2_session_consume_stream(session->h2, stream, len);
}

static int on_stream_close(nghttp2_session *h2, int32_t stream, uint32_t error,
                           void *context)
{
    struct call *call = find_call(context, stream);

    (void)h2;
    (void)error;
    if (call)
        call_on_close(call);
    return 0;
}

/* A fault of a stream that the client's frames have caused is a reset that it
 * has asked for in another way. Nobody waits for the rest of refused headers.
 */
static int on_invalid_frame(nghttp2_session *h2, const nghttp2_frame *frame,
                            int error, void *context)
{
    struct session *session = context;

    (void)h2;
    (void)error;
    if (frame->hd.type == NGHTTP2_HEADERS)
        session->headers_ms = 0;
    if (!flood_reset(&session->flood, session_now_ms(session)))
        session_refuse_flood(session);
    return 0;
}

static int on_frame_send(nghttp2_session *h2, const nghttp2_frame *frame,
                         void *context)
{
    struct call *call = find_call(context, frame->hd.stream_id);

    (void)h2;
    if (call && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) &&
        (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA))
        call_on_complete(call);
    return 0;
}

/* A DATA frame: its head is copied, its bytes are sent from where they lie. */
static int send_data(nghttp2_session *h2, nghttp2_frame *frame,
                     const uint8_t *head, size_t len,
                     nghttp2_data_source *source, void *context)
{
    struct session *session = context;

    (void)h2;
    (void)frame;
    if (!output_fits(&session->output, CALL_PIECES, 9))
        return NGHTTP2_ERR_WOULDBLOCK;
    output_copy(&session->output, head, 9);
    earn(session, len);
    call_put(source->ptr, &session->output, len);
    return 0;
}

static ssize_t frame_length(nghttp2_session *h2, uint8_t type, int32_t stream,
                            int32_t session_window, int32_t stream_window,
                            uint32_t most, void *context)
{
    uint32_t len = most < SESSION_SENT_FRAME ? most : SESSION_SENT_FRAME;

    (void)h2;
    (void)type;
    (void)stream;
    (void)context;
    if (len > (uint32_t)session_window)
        len = (uint32_t)session_window;
    if (len > (uint32_t)stream_window)
        len = (uint32_t)stream_window;
    return (ssize_t)len;
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
    /* metadata_add() strips what this lets through. */
    nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(
        port->option, 1);
    return true;
}
