/* The bytes that a connection receives. Those of a large message go straight
 * into it, although most clients send it in frames of 16 KiB.
 *
 * What follows a frame in the middle of a message is, nearly always, a head and
 * a frame of the same length. So one system call receives the payloads to where
 * they belong and the heads between them to another place, and nghttp2 gets the
 * parts one after the other. From the first head on that is another one, the
 * bytes are copied together first. */
#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <string.h>
#include <sys/epoll.h>

#include "kernels/core/require.h"
#include "kernels/core/size.h"
#include "server/grpc/session.h"

enum {
    RECEIVES = 9, /* system calls before other sessions run */
    FRAME_HEAD = 9,
    FRAMES = 8,             /* that are expected behind the present one */
    FRAME_LEAST = 12 << 10, /* bytes; shorter ones gain nothing */
    PARTS = 1 + 2 * FRAMES,
};

/* Where the next bytes are received: payload, head, payload, and so on. */
struct expected {
    struct iovec parts[PARTS];
    size_t count;
    size_t bytes;
    unsigned char heads[FRAMES][FRAME_HEAD];
};

static void add(struct expected *expected, void *place, size_t len)
{
    expected->parts[expected->count++] = (struct iovec){place, len};
    expected->bytes += len;
}

/* Bytes of the message that can come with one call, those of the present frame
 * with it. From an unexpected head on they have space in the scratch memory. */
static size_t most_bytes(const struct session *session)
{
    bool guesses = session->transport.layer.io->recvv &&
                   session->data.length >= FRAME_LEAST;

    return session->data.left +
           (guesses ? PORT_SCRATCH - FRAMES * FRAME_HEAD : 0);
}

static void expect(struct session *session, struct expected *expected)
{
    size_t size = most_bytes(session), part = session->data.left;
    unsigned char *place = NULL;

    expected->count = expected->bytes = 0;
    if (session->data.stream && part > 0)
        place = session_place(session->data.stream, &size);
    if (!place) {
        add(expected, session_port(session)->scratch, PORT_SCRATCH);
        return;
    }
    part = size_min(part, size);
    add(expected, place, part);
    for (int i = 0; i < FRAMES && part < size; i++) {
        place += part;
        size -= part;
        part = size_min(session->data.length, size);
        add(expected, expected->heads[i], FRAME_HEAD);
        add(expected, place, part);
    }
}

/* Whether a frame of the message follows that has the next `len` bytes of it
 * and, unless these are the last that are expected, no others. */
static bool is_expected(const struct session *session,
                        const unsigned char *head, size_t len, bool last)
{
    size_t length = (size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2];
    uint32_t stream = (uint32_t)head[5] << 24 | (uint32_t)head[6] << 16 |
                      (uint32_t)head[7] << 8 | head[8];

    return head[3] == NGHTTP2_DATA && !(head[4] & NGHTTP2_FLAG_PADDED) &&
           session->data.stream &&
           stream == (uint32_t)session->data.stream->id &&
           (length == len || (last && length > len));
}

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
    if (taken == NGHTTP2_ERR_BAD_CLIENT_MAGIC &&
        memmem(data, len, " HTTP/1.", 8))
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

/* Copies the first `len` bytes of the parts together. */
static void gather(unsigned char *to, const struct iovec *parts, size_t len)
{
    for (; len > 0; parts++) {
        size_t part = size_min(len, parts->iov_len);

        memcpy(to, parts->iov_base, part);
        to += part;
        len -= part;
    }
}

static bool give_all(struct session *session, const struct expected *expected,
                     size_t len)
{
    const struct iovec *part = expected->parts;

    for (size_t i = 0; len > 0; i++, part++) {
        size_t size = size_min(len, part->iov_len);

        if (i % 2 == 1 && size == FRAME_HEAD &&
            !is_expected(session, part->iov_base, part[1].iov_len,
                         i + 2 == expected->count)) {
            gather(session_port(session)->scratch, part, len);
            return give(session, session_port(session)->scratch, len);
        }
        if (!give(session, part->iov_base, size))
            return false;
        len -= size;
    }
    return true;
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
    struct expected expected;
    ssize_t got;

    expect(session, &expected);
    got = transport_recv(&session->transport, expected.parts, expected.count,
                         &session->state.loop->handshake_ns);
    if (got <= 0) {
        end_input(session, got);
        return false;
    }
    if (session->stage == SESSION_OPENING && !session_open_h2(session)) {
        session->failed = true;
        return false;
    }
    return give_all(session, &expected, (size_t)got) &&
           (size_t)got == expected.bytes;
}

/* Receives what there is, for some rounds; then others are served. epoll names
 * the session again for what the socket holds, and with EPOLLOUT or, where its
 * client takes nothing, at the next tick, for what TLS has received of it. */
void session_receive(struct session *session)
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
