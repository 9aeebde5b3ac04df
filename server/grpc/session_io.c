/* The bytes that a connection receives and sends. */
#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <string.h>
#include <sys/epoll.h>

#include "kernels/core/require.h"
#include "server/grpc/session.h"

enum { RECEIVES = 8 }; /* system calls before other sessions run */

/* Adds the session's frames to the output. False: it is broken. */
static bool collect(struct session *session)
{
    struct output *output = &session->output;
    const uint8_t *data;
    ssize_t len = 1;

    REQUIRE(session->h2 && !session->inside);
    session->inside = true;
    while (!output->full && len > 0) {
        len = nghttp2_session_mem_send(session->h2, &data);
        if (len > 0)
            output_copy(output, data, (size_t)len);
    }
    session->inside = false;
    return len >= 0;
}

/* Sends the output, as far as the socket takes it. */
static ssize_t send_output(struct session *session)
{
    struct output *output = &session->output;

    return transport_send(&session->transport, output->parts + output->first,
                          output->count - output->first);
}

void session_refuse_flood(struct session *session)
{
    if (session->stage >= SESSION_FLOODED)
        return;
    metrics_count_rejection(&session->state.loop->metrics, METRICS_FLOOD);
    session->stage = SESSION_FLOODED;
    nghttp2_session_terminate_session(session->h2, NGHTTP2_ENHANCE_YOUR_CALM);
}

/* A request of HTTP/1 in the place of HTTP/2's preface is meant for the other
 * port: its client gets a reply that says so, not a closed connection. */
static void answer_http1(struct session *session)
{
    static char words[] =
        "HTTP/1.1 505 HTTP Version Not Supported\r\n"
        "Content-Type: application/json\r\n"
        "Connection: close\r\n"
        "\r\n"
        "{\"error\":\"this is the port of gRPC (--grpc-port), which is HTTP/2: "
        "HTTP/1.1 is at --http-port\"}\n";
    const struct iovec all = {words, sizeof(words) - 1};

    transport_send(&session->transport, &all, 1);
    session->over = true;
}

static bool is_http1(const void *data, size_t len)
{
    static const char version[] = " HTTP/1.";

    return memmem(data, len, version, sizeof(version) - 1) != NULL;
}

static bool give(struct session *session, const void *data, size_t len)
{
    ssize_t taken;

    REQUIRE(session->h2 && !session->inside);
    if (session->stage >= SESSION_FLOODED) /* nghttp2 may have given up */
        return true;
    flood_scan(&session->flood, data, len);
    session->inside = true;
    taken = nghttp2_session_mem_recv(session->h2, data, len);
    session->inside = false;
    if (taken == NGHTTP2_ERR_BAD_CLIENT_MAGIC && is_http1(data, len))
        answer_http1(session);
    else if (taken == NGHTTP2_ERR_FLOODED ||
             taken == NGHTTP2_ERR_TOO_MANY_CONTINUATIONS)
        session_refuse_flood(session);
    else if (taken != (ssize_t)len)
        session->failed = true;
    else if (!flood_judge(&session->flood, session_now_ms(session)))
        session_refuse_flood(session);
    return !session->failed && !session->over;
}

/* After recv(). A client whose handshake fails can read the alert. */
static void end_input(struct session *session, ssize_t got)
{
    if (got < 0 && errno == EAGAIN)
        return;
    if (session->transport.established)
        session->failed = true;
    else
        session->over = true;
}

/* False when there is nothing more to receive now. */
static bool receive_once(struct session *session)
{
    unsigned char *scratch = session_port(session)->scratch;
    ssize_t got = transport_recv(&session->transport, scratch, PORT_SCRATCH,
                                 &session->state.loop->handshake_ns);

    if (got <= 0) {
        end_input(session, got);
        return false;
    }
    if (session->stage == SESSION_OPENING && !session_open_h2(session)) {
        session->failed = true;
        return false;
    }
    return give(session, scratch, (size_t)got) && got == PORT_SCRATCH;
}

/* Receives what there is, for some rounds; then others are served. epoll names
 * the session again for what the socket holds, and with EPOLLOUT or, where its
 * client takes nothing, at the next tick, for what TLS has received of it. */
static void receive_all(struct session *session)
{
    const struct socket_layer *layer = &session->transport.layer;
    int rounds = 0;

    while (rounds < RECEIVES && receive_once(session))
        rounds++;
    session->holds_input = rounds == RECEIVES && layer->io->pending &&
                           layer->io->pending(layer->self);
}

enum { SENDS = 4 }; /* calls of sendmsg() before others are served */

/* Lets epoll wait for space in the socket, too. */
static void set_wants_send(struct session *session, bool wants)
{
    struct epoll_event event = {
        .events = EPOLLIN | (wants ? EPOLLOUT : 0),
        .data = {.ptr = session},
    };

    if (session->wants_send == wants)
        return;
    session->wants_send = wants;
    session->failed |= epoll_ctl(session_port(session)->epoll_fd, EPOLL_CTL_MOD,
                                 session->transport.fd, &event) != 0;
}

size_t session_unsent(const struct session *session)
{
    size_t bytes = session->output.bytes;
    const struct stream *stream;

    LIST_FOREACH(stream, &session->streams, link)
    {
        if (call_has_out(&stream->call))
            bytes += stream->call.out.left;
    }
    return bytes;
}

static void on_sent(size_t *unsent)
{
    session_on_sent((struct stream *)((char *)unsent -
                                      offsetof(struct stream, call.unsent)));
}

void session_advance_output(struct session *session, size_t sent)
{
    output_advance(&session->output, sent, on_sent);
}

/* False when there is no more space in the socket, or the session is broken. */
static bool send_once(struct session *session)
{
    ssize_t sent = send_output(session);

    if (sent < 0) {
        session->failed |= errno != EAGAIN;
        return false;
    }
    session->sent += (uint64_t)sent;
    session_advance_output(session, (size_t)sent);
    return output_is_empty(&session->output);
}

/* Sends what there is, for some rounds and OUTPUT_BYTES; then others are
 * served. True if more is to be sent. */
static bool send_all(struct session *session)
{
    struct output *output = &session->output;
    uint64_t most = session->sent + OUTPUT_BYTES;

    for (int rounds = 0;
         !session->failed && rounds < SENDS && session->sent < most; rounds++) {
        if (output_is_empty(output) && !collect(session))
            session->failed = true;
        if (session->failed || output_is_empty(output))
            return false;
        if (!send_once(session))
            return true;
    }
    return !output_is_empty(output) || nghttp2_session_want_write(session->h2);
}

/* True when all is said. */
static bool is_over(const struct session *session)
{
    return session->h2 && output_is_empty(&session->output) &&
           ((!nghttp2_session_want_read(session->h2) &&
             !nghttp2_session_want_write(session->h2)) ||
            (session->stage == SESSION_LEAVING &&
             LIST_EMPTY(&session->streams)));
}

/* Sends the frames that explain the end, if the socket takes them. */
static void send_last(struct session *session)
{
    struct output *output = &session->output;

    if (session->stage == SESSION_OPENING)
        return;
    if (output_is_empty(output))
        collect(session);
    if (!output_is_empty(output))
        send_output(session);
}

void session_kick(struct session *session)
{
    bool wants_send = session->transport.wants_write;

    if (session->inside || session->stage == SESSION_ENDED)
        return;
    if (session->h2 && !session->over)
        wants_send = send_all(session);
    if (session->failed) {
        send_last(session);
        if (socket_has_unsent(session->transport.fd))
            session_leave(session);
        else
            session_close(session);
    } else if (session->over || is_over(session)) {
        session_leave(session);
    } else {
        set_wants_send(session, wants_send || session->holds_input);
    }
}

void session_run(struct session *session)
{
    receive_all(session);
    session_kick(session);
}
