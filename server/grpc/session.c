#include "server/grpc/session.h"

#include <assert.h>
#include <nghttp2/nghttp2.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "kernels/core/require.h"
#include "server/limits/connection_cost.h"

static_assert(sizeof(struct session) <= CONNECTION_COST_STATE,
              "a session costs what the memory plan counts");

static bool adopt(struct loop_port *loop_port, const struct arrival *arrival,
                  struct socket_layer layer)
{
    struct port *port = loop_port->state;
    struct session *session = calloc(1, sizeof(*session));
    struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = session}};

    if (!session)
        return false;
    connection_state_init(&session->state, loop_port, &arrival->peer);
    session->since_ms = session_now_ms(session);
    LIST_INIT(&session->streams);
    transport_open(&session->transport, arrival->fd, layer,
                   &loop_port->list->buffers);
    TAILQ_INSERT_TAIL(&port->sessions, session, link);
    if (epoll_ctl(port->epoll_fd, EPOLL_CTL_ADD, arrival->fd, &event) != 0)
        session_close(session);
    return true;
}

/* Begins the end: no streams are begun any more once the client has seen that,
 * or after SESSION_UNHEARD_MS. */
static void notice(struct session *session)
{
    if (session->stage != SESSION_SERVES)
        return;
    REQUIRE(session->h2);
    session->stage = SESSION_NOTICED;
    session->since_ms = session_now_ms(session);
    nghttp2_submit_shutdown_notice(session->h2);
    nghttp2_submit_ping(session->h2, NGHTTP2_FLAG_NONE, NULL);
}

/* Refuses streams from now on and closes the connection after the last. */
static void leave(struct session *session)
{
    if (session->stage == SESSION_OPENING || session->stage >= SESSION_LEAVING)
        return;
    REQUIRE(session->h2);
    session->stage = SESSION_LEAVING;
    nghttp2_submit_goaway(session->h2, NGHTTP2_FLAG_NONE,
                          nghttp2_session_get_last_proc_stream_id(session->h2),
                          NGHTTP2_NO_ERROR, NULL, 0);
}

void session_release(struct session *session)
{
    if (session->stage != SESSION_ENDED || session->living > 0)
        return;
    REQUIRE(LIST_EMPTY(&session->streams));
    TAILQ_REMOVE(&session_port(session)->sessions, session, link);
    connection_state_release(&session->state);
    free(session);
}

/* nghttp2 closes no streams with its session. */
static void end_h2(struct session *session)
{
    struct stream *stream;

    REQUIRE(!session->inside);
    nghttp2_session_del(session->h2);
    session->h2 = NULL;
    while ((stream = LIST_FIRST(&session->streams)))
        session_close_stream(stream);
    session_advance_output(session, session->output.bytes);
    session->stage = SESSION_ENDED;
}

void session_close(struct session *session)
{
    if (session->stage == SESSION_ENDED)
        return;
    end_h2(session);
    if (socket_has_unsent(session->transport.fd)) /* nothing would count it */
        socket_reset_at_close(session->transport.fd);
    else
        socket_leave_to_kernel(session->transport.fd);
    transport_free(&session->transport);
    close(session->transport.fd);
    connection_state_enter(&session->state, CONNECTION_ENDING);
    session_release(session);
}

void session_leave(struct session *session)
{
    end_h2(session);
    epoll_ctl(session_port(session)->epoll_fd, EPOLL_CTL_DEL,
              session->transport.fd, NULL);
    connection_state_linger(&session->state, &session->transport, true);
    session_release(session);
}

void session_restage(struct session *session)
{
    if (session->h2)
        connection_state_enter(
            &session->state, session->headers.open ? CONNECTION_HEADERS
                             : LIST_EMPTY(&session->streams) ? CONNECTION_IDLE
                                                             : CONNECTION_WORK);
}

/* A connection serves at least for so long while the service drains: a client
 * whose balancer has not noticed yet is not sent away at once. */
enum { DRAINING_MS = 500 };

static bool is_drained(const struct session *session, uint64_t now_ms)
{
    enum service_phase phase = loop_context_phase(session->state.loop);

    return phase >= SERVICE_STOPPING ||
           (phase == SERVICE_DRAINING &&
            now_ms >= session->since_ms + DRAINING_MS);
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
    return loop_context_phase(session->state.loop) >= SERVICE_STOPPING;
}

/* Half of the time that calls have to end is also enough for a stream whose
 * client goes on to send. */
static bool has_had_time(const struct session *session, uint64_t now_ms)
{
    const struct options *options = loop_context_options(session->state.loop);

    return now_ms >=
           session->since_ms + (uint64_t)options->exit_timeout_secs * 1000 / 2;
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

static void advance_end(struct session *session, uint64_t now_ms)
{
    if (is_drained(session, now_ms) || connection_state_is_old(&session->state))
        notice(session);
    if ((session->stage == SESSION_NOTICED &&
         now_ms >= session->since_ms + SESSION_UNHEARD_MS) ||
        (session->stage == SESSION_ACKNOWLEDGED &&
         now_ms >= session->since_ms + SESSION_GRACE_MS))
        leave(session);
    session->failed |= session->stage == SESSION_OPENING && stops(session) &&
                       now_ms >= session->since_ms + DRAINING_MS;
    if (session->stage == SESSION_LEAVING && stops(session))
        end_streams(session, has_had_time(session, now_ms), -1,
                    "the server is stopping");
}

/* True if the output is sent more slowly than a reply may be. */
static bool is_stuck(struct session *session, uint64_t now_ms)
{
    const struct options *options = loop_context_options(session->state.loop);

    if (output_is_empty(&session->output)) {
        session->state.progress = (struct progress){.started = false};
        return false;
    }
    return !progress_check(&session->state.progress, now_ms, session->sent,
                           (uint64_t)options->body_timeout * 1000, 0);
}

static void check_calls(struct session *session, uint64_t now_ms, bool judge)
{
    struct stream *stream, *next;

    for (stream = LIST_FIRST(&session->streams); stream; stream = next) {
        next = LIST_NEXT(stream, link);
        if (!call_check(&stream->call, now_ms, judge))
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

/* What there was no lease for may have one by now. A client that sends one
 * large message after the other keeps its buffers between them: they are
 * narrowed after a second without, `judge`. */
static void fit_buffers(struct session *session, bool judge)
{
    struct socket_buffers *buffers = &session->transport.buffers;
    size_t unsent = session_unsent(session);
    bool is_quiet = judge && !session->was_large;

    if (receives_large(session))
        socket_buffers_receive(buffers, false);
    else if (is_quiet || buffers->receive == SOCKET_BUFFERS_NARROW)
        socket_buffers_narrow_receive(buffers);
    if (is_quiet || unsent >= SOCKET_BUFFERS_LARGE)
        socket_buffers_send(buffers, unsent);
    if (judge)
        session->was_large = false;
}

/* True if a client would miss a reply, or a part of one. */
static bool is_running(const struct session *session)
{
    return !are_calls_idle(session) || !output_is_empty(&session->output);
}

static void check(struct session *session, bool judge)
{
    uint64_t now_ms = session_now_ms(session);

    if (session->stage == SESSION_ENDED)
        return;
    if (judge && is_stuck(session, now_ms)) {
        metrics_count_rejection(&session->state.loop->metrics,
                                METRICS_SEND_TIMEOUT);
        session_close(session);
        return;
    }
    advance_end(session, now_ms);
    check_calls(session, now_ms, judge);
    fit_buffers(session, judge);
    if (session->holds_input)
        session_receive(session);
    session_kick(session);
}

static struct session *session_of(const struct connection_state *state)
{
    return (struct session *)((char *)(uintptr_t)state -
                              offsetof(struct session, state));
}

/* Without whole headers HPACK's state is lost: the connection ends at once. One
 * that is idle is told to leave, and may begin calls until it has seen that. */
static void end_overdue(struct connection_state *state)
{
    struct session *session = session_of(state);

    REQUIRE_WITH(session->stage != SESSION_ENDED && !session->inside,
                 "stage %d", session->stage);
    if (state->stage == CONNECTION_IDLE) {
        notice(session);
        connection_state_enter(state, CONNECTION_ENDING);
        session_kick(session);
    } else {
        leave(session);
        session->failed = true;
        session_kick(session);
    }
}

/* Idle calls do not keep a connection open. A client with unread replies is
 * reset: its lingering socket would count. */
static bool make_room(struct connection_state *state)
{
    struct session *session = session_of(state);
    struct transport *transport = &session->transport;
    bool is_unread =
        !output_is_empty(&session->output) || socket_has_unsent(transport->fd);

    REQUIRE_WITH(session->stage != SESSION_ENDED && !session->inside,
                 "stage %d", session->stage);
    if (state->stage == CONNECTION_WORK
            ? session->stage >= SESSION_LEAVING || !are_calls_idle(session)
            : state->stage != CONNECTION_HEADERS &&
                  transport_has_unread(transport))
        return false;
    if (LIST_EMPTY(&session->streams))
        metrics_count_rejection(&state->loop->metrics, METRICS_CROWD);
    leave(session);
    end_streams(session, false, METRICS_CROWD,
                "the port is full (max-connections)");
    if (state->stage != CONNECTION_WORK && is_unread) {
        session_close(session);
        return true;
    }
    session->failed |=
        state->stage != CONNECTION_IDLE && state->stage != CONNECTION_WORK;
    session_kick(session);
    return true;
}

/* The struct stays while a worker has a job of it: nothing of that runs. */
static void abort_now(struct connection_state *state)
{
    struct session *session = session_of(state);

    if (is_running(session))
        service_note_cut(state->loop->service);
    session_close(session);
}

enum {
    BATCH = 64, /* events that are taken at once */
    GROUP = 4,
};

/* The replies of a group are sent one after the other: a client that has
 * several connections, or waits on another core, is woken once for all of them.
 * With messages of 1 MiB on four connections that is a fifth of the processor
 * time. More would wait for longer than the caches keep them. */
static void run_group(const struct epoll_event *ready, int count)
{
    for (int i = 0; i < count; i++)
        session_receive(ready[i].data.ptr);
    for (int i = 0; i < count; i++)
        session_kick(ready[i].data.ptr);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    const struct port *port = poll->data;
    struct epoll_event ready[BATCH];
    int count = epoll_wait(port->epoll_fd, ready, BATCH, 0);

    (void)status;
    (void)events;
    for (int i = 0; i < count; i += GROUP)
        run_group(&ready[i], count - i < GROUP ? count - i : GROUP);
}

static bool init_handles(struct port *port, uv_loop_t *uv)
{
    port->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (port->epoll_fd < 0 ||
        uv_poll_init(uv, &port->poll, port->epoll_fd) != 0)
        return false;
    port->poll.data = port;
    uv_poll_start(&port->poll, UV_READABLE, on_poll);
    return true;
}

static bool start(struct loop_port *loop_port, uv_loop_t *uv)
{
    struct port *port = calloc(1, sizeof(*port));

    if (!port)
        return false;
    loop_port->state = port;
    TAILQ_INIT(&port->sessions);
    /* After a failure the process ends. */
    return session_setup_init(port) && init_handles(port, uv);
}

static void tick(struct loop_port *loop_port)
{
    const struct port *port = loop_port->state;
    bool judge = loop_port->list->judged_ms ==
                 loop_context_now_ms(loop_port->list->loop);
    struct session *each, *next;

    for (each = TAILQ_FIRST(&port->sessions); each; each = next) {
        next = TAILQ_NEXT(each, link);
        check(each, judge);
    }
}

static void free_port(struct loop_port *loop_port)
{
    struct port *port = loop_port->state;

    REQUIRE(TAILQ_EMPTY(&port->sessions));
    close(port->epoll_fd);
    nghttp2_session_callbacks_del(port->callbacks);
    nghttp2_option_del(port->option);
    free(port);
}

const struct protocol protocol_grpc = {
    .start = start,
    .free = free_port,
    .adopt = adopt,
    .tick = tick,
    .end_overdue = end_overdue,
    .make_room = make_room,
    .abort = abort_now,
};
