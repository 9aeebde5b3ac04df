/* Limits of a connection in time: of its beginning, of its idleness, of its
 * age, and of the service. A tick calls this for each. */
#include <nghttp2/nghttp2.h>

#include "server/grpc/session.h"

enum {
    /* A connection that came while the service drains serves for so long: a
     * client whose balancer has not noticed yet is not sent away at once. */
    DRAINING_MS = 500,
    /* A crowd leaves an idle connection at least so long. */
    CROWD_LEAST_MS = 100,
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

/* Streams that wait for their client would keep a connection for ever. */
static void end_idle_calls(struct session *session)
{
    struct call *call, *next;

    for (call = LIST_FIRST(&session->calls); call; call = next) {
        next = LIST_NEXT(call, link);
        if (call_is_idle(call))
            call_fail(call, 503, -1, "the server is stopping");
    }
}

static void advance_end(struct session *session, uint64_t now_ms)
{
    bool stops = atomic_load(session->port->profile->phase) >= SERVICE_STOPPING;

    if (is_drained(session, now_ms) || is_old(session, now_ms))
        session_notice(session);
    if (session->end == SESSION_NOTICED &&
        now_ms >= session->noticed_ms + SESSION_GRACE_MS)
        session_leave(session);
    if (session->end == SESSION_LEAVING && stops)
        end_idle_calls(session);
}

/* Of a connection without calls. */
static uint64_t idle_limit(const struct session *session)
{
    const struct options *options = loop_context_options(session->port->loop);
    uint64_t idle_ms = (uint64_t)options->idle_timeout * 1000;
    struct port *port = session->port;
    size_t open = atomic_load(&port->loop->service->connections);

    return crowd_excess(&port->crowd, open, port->profile->limit) == 0
               ? idle_ms
               : crowd_age_ms(&port->crowd, idle_ms, 1, CROWD_LEAST_MS);
}

static bool is_overdue(const struct session *session, uint64_t now_ms)
{
    const struct options *options = loop_context_options(session->port->loop);
    uint64_t header_ms = (uint64_t)options->header_timeout * 1000;

    if (session->lingers)
        return now_ms >= session->linger_ms + SESSION_LINGER_MS;
    if (!session->h2)
        return now_ms >= session->opened_ms + header_ms;
    if (session->headers_ms > 0 && now_ms >= session->headers_ms + header_ms)
        return true;
    return session->call_count == 0 &&
           now_ms >= session->idle_ms + idle_limit(session);
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

static void narrow(struct session *session)
{
    if (!session->large)
        socket_buffers_narrow_receive(&session->transport.buffers);
    session->large = false;
}

void session_check(struct session *session, bool judge)
{
    uint64_t now_ms = session_now_ms(session);

    if (session->ended)
        return;
    if (atomic_load(session->port->profile->phase) == SERVICE_ABORTING ||
        (judge && is_stuck(session, now_ms))) {
        session_close(session);
        return;
    }
    advance_end(session, now_ms);
    if (is_overdue(session, now_ms)) {
        session_leave(session);
        session->failed = session->failed || session->lingers || !session->h2 ||
                          session->headers_ms > 0;
    }
    if (session->h2)
        check_calls(session, now_ms, judge);
    narrow(session);
    session_kick(session);
}
