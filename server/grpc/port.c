#include "server/grpc/port.h"

#include <nghttp2/nghttp2.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "kernels/core/require.h"
#include "server/grpc/session.h"

enum { BATCH = 64 }; /* events that are taken at once */

static void on_poll(uv_poll_t *poll, int status, int events)
{
    const struct port *port = poll->data;
    struct epoll_event ready[BATCH];
    int count = epoll_wait(port->epoll_fd, ready, BATCH, 0);

    (void)status;
    (void)events;
    for (int i = 0; i < count; i++)
        session_run(ready[i].data.ptr);
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

static bool start(struct loop_port *port_of_loop, uv_loop_t *uv)
{
    struct port *port = calloc(1, sizeof(*port));

    if (!port)
        return false;
    port_of_loop->state = port;
    port->port = port_of_loop;
    port->loop = port_of_loop->list->loop;
    port->scratch = malloc(PORT_SCRATCH);
    TAILQ_INIT(&port->sessions);
    /* After a failure the process ends. */
    return port->scratch && session_setup_init(port) && init_handles(port, uv);
}

static void adopt(struct loop_port *port, const struct arrival *arrival)
{
    session_adopt(port->state, arrival);
}

static void tick(struct loop_port *port_of_loop)
{
    const struct port *port = port_of_loop->state;
    bool judge =
        port_of_loop->list->judged_ms == loop_context_now_ms(port->loop);
    struct session *each, *next;

    for (each = TAILQ_FIRST(&port->sessions); each; each = next) {
        next = TAILQ_NEXT(each, link);
        session_check(each, judge);
    }
}

static void free_port(struct loop_port *port_of_loop)
{
    struct port *port = port_of_loop->state;

    REQUIRE(TAILQ_EMPTY(&port->sessions));
    close(port->epoll_fd);
    nghttp2_session_callbacks_del(port->callbacks);
    nghttp2_option_del(port->option);
    free(port->scratch);
    free(port);
}

const struct protocol protocol_grpc = {
    .start = start,
    .free = free_port,
    .adopt = adopt,
    .tick = tick,
    .end_overdue = session_end_overdue,
    .make_room = session_make_room,
    .moved = session_moved,
    .cut = session_abort,
    .abort = session_abort,
};
