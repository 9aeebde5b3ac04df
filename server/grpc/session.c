#include "server/grpc/session.h"

#include <assert.h>
#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

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

bool session_watch(struct session *session)
{
    struct epoll_event event = {
        .events = EPOLLIN | (session->wants_send ? EPOLLOUT : 0),
        .data = {.ptr = session},
    };

    session->held = false;
    return epoll_ctl(session->port->epoll_fd, EPOLL_CTL_ADD,
                     session->transport.fd, &event) == 0;
}

void session_hold(struct session *session)
{
    session->held = true;
    epoll_ctl(session->port->epoll_fd, EPOLL_CTL_DEL, session->transport.fd,
              NULL);
}

static void init(struct session *session, struct port *port,
                 const struct arrival *arrival)
{
    session->port = port;
    session->peer = arrival->peer;
    session->address_hash = peer_hash(&arrival->peer);
    session->allowance = true;
    session->opened_ms = session->idle_ms = session_now_ms(session);
    session->age_end_ms =
        age_end_ms(loop_context_options(port->loop)->max_connection_age,
                   &session->peer, session->opened_ms);
    LIST_INIT(&session->calls);
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
    if (!session_watch(session))
        session_close(session);
}

/* What the PING behind the notice carries. */
static const uint8_t farewell[8] = "goodbye";

void session_notice(struct session *session)
{
    if (session->end != SESSION_SERVES || !session->h2)
        return;
    session->end = SESSION_NOTICED;
    session->noticed_ms = session_now_ms(session);
    nghttp2_submit_shutdown_notice(session->h2);
    nghttp2_submit_ping(session->h2, NGHTTP2_FLAG_NONE, farewell);
}

void session_acknowledge(struct session *session, const uint8_t data[8])
{
    session->acknowledged |= session->end == SESSION_NOTICED &&
                             memcmp(data, farewell, sizeof(farewell)) == 0;
}

void session_leave(struct session *session)
{
    if (session->end == SESSION_LEAVING || !session->h2)
        return;
    session->end = SESSION_LEAVING;
    nghttp2_submit_goaway(session->h2, NGHTTP2_FLAG_NONE,
                          nghttp2_session_get_last_proc_stream_id(session->h2),
                          NGHTTP2_NO_ERROR, NULL, 0);
}

static bool note_flood(struct session *session)
{
    if (session->flooded)
        return false;
    metrics_count_rejection(&session->port->loop->metrics, METRICS_FLOOD);
    session->flooded = true;
    return true;
}

void session_refuse_flood(struct session *session)
{
    if (note_flood(session))
        nghttp2_session_terminate_session(session->h2,
                                          NGHTTP2_ENHANCE_YOUR_CALM);
}

void session_end_flood(struct session *session)
{
    int32_t last = nghttp2_session_get_last_proc_stream_id(session->h2);
    unsigned char goaway[17] = {
        [2] = 8, [3] = NGHTTP2_GOAWAY, [16] = NGHTTP2_ENHANCE_YOUR_CALM};
    struct output *output = &session->output;

    for (int i = 0; i < 4; i++)
        goaway[9 + i] = (unsigned char)(last >> (24 - 8 * i));
    /* The first frame of a connection is SETTINGS. */
    if (output_is_empty(output))
        session_collect(session);
    if (note_flood(session) && output_fits(output, 0, sizeof(goaway)))
        output_copy(output, goaway, sizeof(goaway));
    if (!output_is_empty(output))
        transport_send(&session->transport, output->parts + output->first,
                       output->count - output->first);
    session_linger(session);
}

/* nghttp2 closes no streams with its session. */
static void close_calls(struct session *session)
{
    struct call *call;

    while ((call = LIST_FIRST(&session->calls))) {
        call->unsent = 0;
        call_on_close(call);
    }
    while ((call = STAILQ_FIRST(&session->closed))) {
        STAILQ_REMOVE_HEAD(&session->closed, closed);
        call->unsent = 0;
        call_release(call);
    }
}

void session_release(struct session *session)
{
    struct port *port = session->port;

    if (!session->ended || session->running > 0)
        return;
    TAILQ_REMOVE(&port->sessions, session, link);
    listener_uncount(port->loop, port->profile, &session->peer);
    free(session);
}

void session_close(struct session *session)
{
    if (session->ended)
        return;
    session->ended = true;
    if (session->waits)
        TAILQ_REMOVE(&session->port->waiting, session, waiting);
    session->waits = false;
    nghttp2_session_del(session->h2);
    session->h2 = NULL;
    close_calls(session);
    transport_close(&session->transport);
    session_release(session);
}
