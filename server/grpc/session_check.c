/* Limits of a connection in time: of its beginning, of its idleness, of its
 * age, and of the service. A tick calls this for each. */
#include <linux/sockios.h>
#include <nghttp2/nghttp2.h>
#include <sys/ioctl.h>

#include "server/grpc/session.h"

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

/* Streams that wait for their client would keep a connection for ever; with
 * `busy`, those that do not too. */
static void end_streams(struct session *session, bool busy, int rejection,
                        const char *text)
{
    struct call *call, *next;

    for (call = LIST_FIRST(&session->calls); call; call = next) {
        next = LIST_NEXT(call, link);
        if (call_is_idle(call) || (busy && call_is_stream(call)))
            call_fail(call, 503, rejection, text);
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

    return now_ms >= session->noticed_ms +
                         (uint64_t)options->exit_timeout_secs * 1000 / 2;
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
static uint64_t patience_ms(const struct session *session, int64_t seconds,
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
                              : patience_ms(session, seconds, 2, SILENT_MS));
}

static bool are_calls_idle(const struct session *session)
{
    const struct call *call;

    LIST_FOREACH(call, &session->calls, link)
    {
        if (!call_is_idle(call))
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
               session->idle_ms + patience_ms(session, seconds, 1, IDLE_MS);
}

static void advance_end(struct session *session, uint64_t now_ms)
{
    if (is_drained(session, now_ms) || is_old(session, now_ms) ||
        is_idle(session, now_ms))
        session_notice(session);
    if (session->end == SESSION_NOTICED &&
        now_ms >=
            session->noticed_ms +
                (session->acknowledged ? SESSION_GRACE_MS : SESSION_DEAF_MS))
        session_leave(session);
    if (session->end == SESSION_LEAVING && stops(session))
        end_streams(session, has_had_time(session, now_ms), -1,
                    "the server is stopping");
}

/* A busy client may take longer for what it was sent; not as long as it likes.
 */
static bool has_lingered(const struct session *session, uint64_t now_ms)
{
    int64_t seconds = loop_context_options(session->port->loop)->body_timeout;
    bool unsent = socket_buffers_queued(session->transport.fd, SIOCOUTQ) > 0;

    return now_ms >= session->linger_ms + (unsent ? (uint64_t)seconds * 1000
                                                  : SESSION_LINGER_MS);
}

static bool is_overdue(const struct session *session, uint64_t now_ms)
{
    int64_t seconds = loop_context_options(session->port->loop)->header_timeout;

    if (session->lingers)
        return has_lingered(session, now_ms);
    if (!session->h2)
        return is_silent(session, now_ms);
    if (session->headers_ms > 0 &&
        now_ms >=
            session->headers_ms + patience_ms(session, seconds, 1, HEADERS_MS))
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
    struct call *call, *next;

    for (call = LIST_FIRST(&session->calls); call; call = next) {
        next = LIST_NEXT(call, link);
        call_check(call, now_ms, crowd, judge);
        if (call->method && call->method->kind == API_GRPC_WATCH)
            call_watch(call);
    }
}

static bool receives_large(const struct session *session)
{
    const struct call *call;

    LIST_FOREACH(call, &session->calls, link)
    {
        if (call_receives_large(call))
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

    if (session->ended)
        return;
    if (session->held && !session->lingers)
        session->failed |= !session_watch(session);
    if (aborts && is_running(session))
        service_note_cut(port->loop->service);
    if (aborts || (judge && is_stuck(session, now_ms))) {
        session_close(session);
        return;
    }
    advance_end(session, now_ms);
    if (is_overdue(session, now_ms)) {
        session_leave(session);
        if (makes_room(session))
            end_streams(session, false, METRICS_CROWD,
                        "the port is full (max-connections)");
        session->failed = session->failed || session->lingers || !session->h2 ||
                          session->headers_ms > 0;
    }
    if (session->h2)
        check_calls(session, now_ms, judge);
    fit_buffers(session);
    session_kick(session);
}
