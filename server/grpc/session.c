#include "server/grpc/session.h"

#include <assert.h>
#include <linux/sockios.h>
#include <nghttp2/nghttp2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kernels/core/require.h"
#include "server/limits/age.h"
#include "server/limits/connection_cost.h"

static_assert(sizeof(struct session) <= CONNECTION_COST_STATE,
              "a session costs what the memory plan counts");

static struct socket_layer open_layer(const struct port *port, int fd)
{
    if (!port->profile->tls)
        return (struct socket_layer){.io = NULL};
    return tls_stream_new(&port->loop->service->tls, fd, TLS_HTTP2);
}

/* False without memory for that. */
static bool watch(struct session *session)
{
    struct epoll_event event = {
        .events = EPOLLIN | (session->wants_send ? EPOLLOUT : 0),
        .data = {.ptr = session},
    };

    session->paused = false;
    return epoll_ctl(session->port->epoll_fd, EPOLL_CTL_ADD,
                     session->transport.fd, &event) == 0;
}

void session_pause(struct session *session)
{
    session->paused = true;
    epoll_ctl(session->port->epoll_fd, EPOLL_CTL_DEL, session->transport.fd,
              NULL);
}

static void init(struct session *session, struct port *port,
                 const struct arrival *arrival)
{
    session->port = port;
    session->peer = arrival->peer;
    session->opened_ms = session->idle_ms = session_now_ms(session);
    session->age_end_ms =
        age_end_ms(loop_context_options(port->loop)->max_connection_age,
                   &session->peer, session->opened_ms);
    LIST_INIT(&session->streams);
    STAILQ_INIT(&session->closed);
}

static void refuse(struct port *port, const struct arrival *arrival)
{
    close(arrival->fd);
    listener_uncount(port->loop, port->profile, &arrival->peer);
}

void session_adopt(struct port *port, const struct arrival *arrival)
{
    struct session *session = calloc(1, sizeof(*session));
    struct socket_layer layer = {.io = NULL};

    if (session)
        layer = open_layer(port, arrival->fd);
    if (!session || (port->profile->tls && !layer.io)) {
        free(session);
        refuse(port, arrival);
        return;
    }
    init(session, port, arrival);
    transport_open(&session->transport, arrival->fd, layer, &port->buffers);
    TAILQ_INSERT_TAIL(&port->sessions, session, link);
    if (!watch(session))
        session_close(session);
}

/* What the PING behind the notice carries. */
static const uint8_t notice_ping[8] = "goodbye";

/* Begins the end: no streams are begun any more once the client has seen that,
 * or after SESSION_UNHEARD_MS. */
static void notice(struct session *session)
{
    if (session->stage != SESSION_SERVES)
        return;
    REQUIRE(session->h2);
    session->stage = SESSION_NOTICED;
    session->end_ms = session_now_ms(session);
    nghttp2_submit_shutdown_notice(session->h2);
    nghttp2_submit_ping(session->h2, NGHTTP2_FLAG_NONE, notice_ping);
}

void session_acknowledge(struct session *session, const uint8_t data[8])
{
    if (session->stage == SESSION_NOTICED &&
        memcmp(data, notice_ping, sizeof(notice_ping)) == 0)
        session->stage = SESSION_ACKNOWLEDGED;
}

/* Refuses streams from now on and closes the connection after the last. */
static void leave(struct session *session)
{
    if (session->stage == SESSION_SILENT || session->stage >= SESSION_LEAVING)
        return;
    REQUIRE(session->h2);
    session->stage = SESSION_LEAVING;
    nghttp2_submit_goaway(session->h2, NGHTTP2_FLAG_NONE,
                          nghttp2_session_get_last_proc_stream_id(session->h2),
                          NGHTTP2_NO_ERROR, NULL, 0);
}

/* nghttp2 closes no streams with its session. */
static void close_streams(struct session *session)
{
    struct stream *stream;

    while ((stream = LIST_FIRST(&session->streams))) {
        stream->call.unsent = 0;
        session_close_stream(stream);
    }
    while ((stream = STAILQ_FIRST(&session->closed))) {
        STAILQ_REMOVE_HEAD(&session->closed, closed);
        stream->call.unsent = 0;
        call_release(&stream->call);
    }
}

void session_release(struct session *session)
{
    struct port *port = session->port;

    if (session->stage != SESSION_ENDED || session->living > 0)
        return;
    REQUIRE(LIST_EMPTY(&session->streams) && STAILQ_EMPTY(&session->closed));
    TAILQ_REMOVE(&port->sessions, session, link);
    listener_uncount(port->loop, port->profile, &session->peer);
    free(session);
}

void session_close(struct session *session)
{
    if (session->stage == SESSION_ENDED)
        return;
    REQUIRE(!session->inside);
    if (session->waits)
        TAILQ_REMOVE(&session->port->waiting, session, waiting);
    session->waits = false;
    nghttp2_session_del(session->h2);
    session->h2 = NULL;
    close_streams(session);
    REQUIRE_WITH(session->call_count == 0 && session->sending_streams == 0,
                 "%zu, %zu", session->call_count, session->sending_streams);
    transport_close(&session->transport);
    session->stage = SESSION_ENDED;
    session_release(session);
}

enum {
    /* A connection that came while the service drains serves for so long: a
     * client whose balancer has not noticed yet is not sent away at once. */
    DRAINING_MS = 500,
    /* What a crowd leaves at least to a connection that has sent nothing, whose
     * headers are incomplete, that is idle: as HTTP does. */
    SILENT_MS = 50,
    HEADERS_MS = 1000,
    IDLE_MS = 100,
};

static bool is_drained(const struct session *session, uint64_t now_ms)
{
    enum service_phase phase =
        (enum service_phase)atomic_load(session->port->profile->phase);

    return phase >= SERVICE_STOPPING ||
           (phase == SERVICE_DRAINING &&
            (session->answered > 0 ||
             now_ms >= session->opened_ms + DRAINING_MS));
}

static bool is_old(const struct session *session, uint64_t now_ms)
{
    return session->age_end_ms > 0 && now_ms >= session->age_end_ms;
}

/* Ends idle streams, which would keep the connection open for ever; with
 * `busy`, all streaming calls. */
static void end_streams(struct session *session, bool busy, int rejection,
                        const char *text)
{
    struct stream *stream, *next;

    for (stream = LIST_FIRST(&session->streams); stream; stream = next) {
        next = LIST_NEXT(stream, link);
        if (!call_is_idle(&stream->call) &&
            !(busy && call_is_stream(&stream->call)))
            continue;
        call_fail(&stream->call, API_GRPC_OK, 503, rejection, "%s", text);
        session_advance(stream);
    }
}

static bool stops(const struct session *session)
{
    return atomic_load(session->port->profile->phase) >= SERVICE_STOPPING;
}

/* Half of the time that calls have to end is also enough for a stream whose
 * client goes on to send. */
static bool has_had_time(const struct session *session, uint64_t now_ms)
{
    const struct options *options = loop_context_options(session->port->loop);

    return now_ms >=
           session->end_ms + (uint64_t)options->exit_timeout_secs * 1000 / 2;
}

/* True if connections are near their limit, and the session's address has more
 * than half of its share: then the session makes room, as soon as it waits for
 * its client. */
static bool makes_room(const struct session *session)
{
    struct port *port = session->port;
    struct service *service = port->loop->service;
    size_t open = atomic_load(&service->connections);

    return crowd_excess(&port->crowd, open, port->profile->limit) > 0 &&
           (peer_is_unix(&session->peer) ||
            address_limit_exceeds(&service->address_limit, &session->peer,
                                  ADDRESS_SHARE_HALF));
}

/* How long the session may wait, of `seconds`. */
static uint64_t allowed_ms(const struct session *session, int64_t seconds,
                           unsigned halvings, uint64_t least_ms)
{
    uint64_t limit_ms = (uint64_t)seconds * 1000;

    return makes_room(session) ? crowd_age_ms(&session->port->crowd, limit_ms,
                                              halvings, least_ms)
                               : limit_ms;
}

/* One that has sent nothing. */
static bool is_silent(const struct session *session, uint64_t now_ms)
{
    int64_t seconds = loop_context_options(session->port->loop)->header_timeout;

    return now_ms >= session->opened_ms +
                         (stops(session)
                              ? DRAINING_MS
                              : allowed_ms(session, seconds, 2, SILENT_MS));
}

static bool are_calls_idle(const struct session *session)
{
    const struct stream *stream;

    LIST_FOREACH(stream, &session->streams, link)
    {
        if (!call_is_idle(&stream->call))
            return false;
    }
    return true;
}

/* Calls that wait for their client, for as long as it likes, are no reason to
 * keep a connection where it makes room. */
static bool is_idle(const struct session *session, uint64_t now_ms)
{
    int64_t seconds = loop_context_options(session->port->loop)->idle_timeout;

    return (session->call_count == 0 ||
            (makes_room(session) && are_calls_idle(session))) &&
           now_ms >=
               session->idle_ms + allowed_ms(session, seconds, 1, IDLE_MS);
}

static void advance_end(struct session *session, uint64_t now_ms)
{
    if (is_drained(session, now_ms) || is_old(session, now_ms) ||
        is_idle(session, now_ms))
        notice(session);
    if ((session->stage == SESSION_NOTICED &&
         now_ms >= session->end_ms + SESSION_UNHEARD_MS) ||
        (session->stage == SESSION_ACKNOWLEDGED &&
         now_ms >= session->end_ms + SESSION_GRACE_MS))
        leave(session);
    if (session->stage == SESSION_LEAVING && stops(session))
        end_streams(session, has_had_time(session, now_ms), -1,
                    "the server is stopping");
}

/* A busy client may take longer for what it was sent; not as long as it likes.
 */
static bool has_lingered(const struct session *session, uint64_t now_ms)
{
    int64_t seconds = loop_context_options(session->port->loop)->body_timeout;
    bool unsent = socket_buffers_queued(session->transport.fd, SIOCOUTQ) > 0;

    return now_ms >= session->end_ms + (unsent ? (uint64_t)seconds * 1000
                                               : SESSION_LINGER_MS);
}

static bool is_overdue(const struct session *session, uint64_t now_ms)
{
    int64_t seconds = loop_context_options(session->port->loop)->header_timeout;

    if (session->stage == SESSION_LINGERS)
        return has_lingered(session, now_ms);
    if (session->stage == SESSION_SILENT)
        return is_silent(session, now_ms);
    if (session->headers_ms > 0 &&
        now_ms >=
            session->headers_ms + allowed_ms(session, seconds, 1, HEADERS_MS))
        return true;
    return makes_room(session) && is_idle(session, now_ms);
}

/* Bytes that the socket does not take stay for as long as those of a reply. */
static bool is_stuck(struct session *session, uint64_t now_ms)
{
    const struct options *options = loop_context_options(session->port->loop);

    if (output_is_empty(&session->output)) {
        session->progress = (struct progress){.started = false};
        return false;
    }
    return !progress_check(&session->progress, now_ms, session->sent,
                           (uint64_t)options->body_timeout * 1000,
                           crowd_pressure(&session->port->crowd));
}

static void check_calls(struct session *session, uint64_t now_ms, bool judge)
{
    unsigned crowd = crowd_pressure(&session->port->crowd);
    struct stream *stream, *next;

    for (stream = LIST_FIRST(&session->streams); stream; stream = next) {
        next = LIST_NEXT(stream, link);
        if (!call_check(&stream->call, now_ms, crowd, judge))
            nghttp2_submit_rst_stream(session->h2, NGHTTP2_FLAG_NONE,
                                      stream->id, NGHTTP2_CANCEL);
        session_advance(stream);
    }
}

static bool receives_large(const struct session *session)
{
    const struct stream *stream;

    LIST_FOREACH(stream, &session->streams, link)
    {
        if (call_receives_large(&stream->call))
            return true;
    }
    return false;
}

/* What there was no lease for may have one by now. */
static void fit_buffers(struct session *session)
{
    struct socket_buffers *buffers = &session->transport.buffers;

    if (receives_large(session))
        socket_buffers_receive(buffers, false);
    else
        socket_buffers_narrow_receive(buffers);
    socket_buffers_send(buffers, session_unsent(session));
}

/* True if a client would miss a reply, or a part of one. */
static bool is_running(const struct session *session)
{
    return !are_calls_idle(session) || !STAILQ_EMPTY(&session->closed);
}

void session_check(struct session *session, bool judge)
{
    const struct port *port = session->port;
    bool aborts = atomic_load(port->profile->phase) == SERVICE_ABORTING;
    uint64_t now_ms = session_now_ms(session);

    if (session->stage == SESSION_ENDED)
        return;
    if (session->paused && session->stage < SESSION_LINGERS)
        session->failed |= !watch(session);
    if (aborts && is_running(session))
        service_note_cut(port->loop->service);
    if (aborts || (judge && is_stuck(session, now_ms))) {
        session_close(session);
        return;
    }
    advance_end(session, now_ms);
    if (is_overdue(session, now_ms)) {
        leave(session);
        if (makes_room(session))
            end_streams(session, false, METRICS_CROWD,
                        "the port is full (max-connections)");
        session->failed |= session->stage == SESSION_LINGERS ||
                           session->stage == SESSION_SILENT ||
                           session->headers_ms > 0;
    }
    if (session->h2)
        check_calls(session, now_ms, judge);
    fit_buffers(session);
    session_kick(session);
}
