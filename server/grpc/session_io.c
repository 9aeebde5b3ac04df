/* The bytes that a connection sends, from the replies; and its turns. */
#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <sys/epoll.h>

#include "server/grpc/session.h"

/* Calls of sendmsg() before other sessions get their turn, which they get after
 * OUTPUT_BYTES, too. */
enum { SENDS = 4 };

void session_run_again(struct session *session)
{
    struct port *port = session->port;

    if (session->waits)
        return;
    session->waits = true;
    TAILQ_INSERT_TAIL(&port->waiting, session, waiting);
    uv_async_send(&port->again);
}

static void set_wants_send(struct session *session, bool wants)
{
    struct epoll_event event = {
        .events = EPOLLIN | (wants ? EPOLLOUT : 0),
        .data = {.ptr = session},
    };

    if (session->wants_send == wants)
        return;
    session->wants_send = wants;
    session->failed |= epoll_ctl(session->port->epoll_fd, EPOLL_CTL_MOD,
                                 session->transport.fd, &event) != 0;
}

size_t session_unsent(const struct session *session)
{
    size_t bytes = session->output.bytes;
    const struct call *call;

    LIST_FOREACH(call, &session->calls, link)
    {
        if (call->has_out)
            bytes += call->out.left;
    }
    return bytes;
}

bool session_collect(struct session *session)
{
    struct output *output = &session->output;
    const uint8_t *data;
    ssize_t len = 1;

    session->inside = true;
    while (!output->full && len > 0) {
        len = nghttp2_session_mem_send(session->h2, &data);
        if (len > 0)
            output_copy(output, data, (size_t)len);
    }
    session->inside = false;
    return len >= 0;
}

/* Calls whose last bytes have been sent. */
static void settle(struct session *session)
{
    struct call *call, *next;

    while ((call = STAILQ_FIRST(&session->closed)) && call->unsent == 0) {
        STAILQ_REMOVE_HEAD(&session->closed, closed);
        call_release(call);
    }
    if (session->sending_streams == 0)
        return;
    for (call = LIST_FIRST(&session->calls); call; call = next) {
        next = LIST_NEXT(call, link);
        if (call->has_out && call->out.left == 0 && call->unsent == 0 &&
            call->method && call->method->kind != API_GRPC_UNARY)
            call_on_sent(call);
    }
}

/* False when there is no more space in the socket, or the session is broken. */
static bool send_once(struct session *session)
{
    struct output *output = &session->output;
    ssize_t sent =
        transport_send(&session->transport, output->parts + output->first,
                       output->count - output->first);

    if (sent < 0) {
        session->failed |= errno != EAGAIN;
        return false;
    }
    session->sent += (uint64_t)sent;
    output_advance(output, (size_t)sent);
    settle(session);
    return output_is_empty(output);
}

/* Sends what there is, for some turns. */
static void send_all(struct session *session)
{
    struct output *output = &session->output;
    uint64_t most = session->sent + OUTPUT_BYTES;

    for (int turns = 0;
         !session->failed && turns < SENDS && session->sent < most; turns++) {
        if (output_is_empty(output) && !session_collect(session)) {
            session->failed = true;
            return;
        }
        if (output_is_empty(output))
            break;
        if (!send_once(session)) {
            set_wants_send(session, true);
            return;
        }
    }
    set_wants_send(session, false);
    if (nghttp2_session_want_write(session->h2))
        session_run_again(session);
}

/* True when all is said. */
static bool is_over(const struct session *session)
{
    return session->h2 && output_is_empty(&session->output) &&
           ((!nghttp2_session_want_read(session->h2) &&
             !nghttp2_session_want_write(session->h2)) ||
            (session->end == SESSION_LEAVING && session->call_count == 0));
}

void session_linger(struct session *session)
{
    session->lingers = true;
    session->linger_ms = session_now_ms(session);
    transport_shutdown(&session->transport);
    /* A flood would go on. The reset after the time does not overtake then. */
    if (session->flooded)
        session_hold(session);
}

/* What explains the end is still sent, if the socket takes it. */
static void send_last(struct session *session)
{
    struct output *output = &session->output;

    if (!session->h2 || session->lingers)
        return;
    if (output_is_empty(output))
        session_collect(session);
    if (!output_is_empty(output))
        transport_send(&session->transport, output->parts + output->first,
                       output->count - output->first);
}

void session_kick(struct session *session)
{
    if (session->inside || session->ended)
        return;
    if (session->h2 && !session->lingers)
        send_all(session);
    if (session->failed) {
        send_last(session);
        session_close(session);
    } else if (!session->lingers && is_over(session)) {
        session_linger(session);
    }
}

void session_run(struct session *session)
{
    session_receive(session);
    if (session->transport.wants_write)
        set_wants_send(session, true);
    session_kick(session);
}
