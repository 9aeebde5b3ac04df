#include "server/grpc/port.h"

#include <nghttp2/nghttp2.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "server/grpc/session.h"

enum { BATCH = 64 }; /* events that are taken at once */

/* The guest's opaque state is a port. */
static struct port *port_of(struct loop_guest_state *state)
{
    return (struct port *)(void *)state;
}

/* Handshakes have half of the processors. */
static bool may_shake_hands(struct port *port, const struct session *session)
{
    const struct options *options = loop_context_options(port->loop);
    const uint64_t half_ns = HANDSHAKE_SHARE_MS * UINT64_C(1000000) / 2;
    uint64_t loops = (uint64_t)options->http_thread_count;
    uint64_t share_ns = half_ns * (uint64_t)options->worker_count / loops;

    return session->transport.established ||
           handshake_share_take(
               &port->handshakes, loop_context_now_ms(port->loop),
               port->handshake_ns, share_ns < half_ns ? share_ns : half_ns);
}

/* A session that may not shake hands yet waits for the next tick. */
static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct port *port = poll->data;
    struct epoll_event ready[BATCH];
    int count = epoll_wait(port->epoll_fd, ready, BATCH, 0);

    (void)status;
    (void)events;
    for (int i = 0; i < count; i++) {
        struct session *session = ready[i].data.ptr;

        if (may_shake_hands(port, session))
            session_run(session);
        else
            session_pause(session);
    }
}

static void on_again(uv_async_t *again)
{
    struct port *port = again->data;
    struct session *session;

    for (int i = 0; i < BATCH; i++) {
        session = TAILQ_FIRST(&port->waiting);
        if (!session)
            return;
        TAILQ_REMOVE(&port->waiting, session, waiting);
        session->waits = false;
        session_run(session);
    }
    uv_async_send(again);
}

static bool init_handles(struct port *port, uv_loop_t *uv)
{
    port->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (port->epoll_fd < 0 ||
        uv_poll_init(uv, &port->poll, port->epoll_fd) != 0 ||
        uv_async_init(uv, &port->again, on_again) != 0)
        return false;
    port->poll.data = port->again.data = port;
    uv_poll_start(&port->poll, UV_READABLE, on_poll);
    return true;
}

static bool take_bytes(void *budget, size_t bytes)
{
    return budget_lease_spare(budget, bytes);
}

static void give_bytes(void *budget, size_t bytes)
{
    budget_give_spare(budget, bytes);
}

static void init_buffers(struct port *port)
{
    port->buffers = (struct socket_buffers_setup){
        .send = CONNECTION_COST_SNDBUF,
        .receive = CONNECTION_COST_RCVBUF,
        .take = take_bytes,
        .give = give_bytes,
        .context = &port->loop->service->jobs.budget,
    };
    socket_buffers_read_most(&port->buffers);
}

static struct loop_guest_state *start(struct loop_context *loop, uv_loop_t *uv)
{
    struct port *port = calloc(1, sizeof(*port));

    if (!port)
        return NULL;
    port->loop = loop;
    port->profile = loop->service->guest_profile;
    port->scratch = malloc(PORT_SCRATCH);
    TAILQ_INIT(&port->sessions);
    TAILQ_INIT(&port->waiting);
    init_buffers(port);
    /* After a failure the process ends. */
    if (!port->scratch || !session_setup_init(port) || !init_handles(port, uv))
        return NULL;
    return (struct loop_guest_state *)(void *)port;
}

static void adopt(struct loop_guest_state *state, const struct arrival *arrival)
{
    session_adopt(port_of(state), arrival);
}

static void tick(struct loop_guest_state *state)
{
    struct port *port = port_of(state);
    uint64_t now_ms = loop_context_now_ms(port->loop);
    bool judge = now_ms >= port->judged_ms + PROGRESS_PERIOD_MS;
    struct session *each, *next;

    if (judge)
        port->judged_ms = now_ms;
    crowd_update(&port->crowd, atomic_load(&port->loop->service->connections),
                 port->profile->limit);
    for (each = TAILQ_FIRST(&port->sessions); each; each = next) {
        next = TAILQ_NEXT(each, link);
        session_check(each, judge);
    }
}

static void free_port(struct loop_guest_state *state)
{
    struct port *port = port_of(state);

    close(port->epoll_fd);
    nghttp2_session_callbacks_del(port->callbacks);
    nghttp2_option_del(port->option);
    free(port->scratch);
    free(port);
}

const struct loop_guest guest_grpc = {start, adopt, tick, free_port};
