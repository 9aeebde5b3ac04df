/* Sockets that their protocol is done with.
 *
 * After close() the kernel holds unacknowledged replies, up to megabytes, for
 * minutes, and no limit counts them; close() on unread bytes resets the
 * connection and loses the replies. So the socket lingers, and counts against
 * the limits, until the client has acknowledged all but a few bytes, at the
 * minimum rate, and has closed its half, at most CONNECTION_LINGER_MS later.
 * Input is dropped. */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/sockios.h>

#include "kernels/core/require.h"
#include "server/conn/connection_list.h"

struct lingering {
    struct connection_state state; /* first; CONNECTION_SEND while the kernel
                                    * holds replies, then CONNECTION_LINGER */
    struct socket_buffers buffers; /* with the socket, which is owned */
    bool drops;                    /* the client may still send */
    size_t dropped;                /* bytes */
};

enum {
    DROPPED_BYTES = 16 << 20, /* after which the client's end is not awaited */
    STEP = 16 << 10,
    STEPS = 16, /* of one socket before others are served */
    /* To ask the kernel costs more than all else of a tick. */
    CHECK_MS = 100,
    BATCH = 64,
};

static struct lingering *lingering_of(const struct connection_state *state)
{
    return (struct lingering *)(uintptr_t)state; /* its first member */
}

static void end(struct connection_state *state)
{
    struct lingering *lingering = lingering_of(state);

    REQUIRE_WITH(state->stage == CONNECTION_SEND ||
                     state->stage == CONNECTION_LINGER,
                 "stage %d", state->stage);
    connection_state_release(state);
    socket_buffers_free(&lingering->buffers);
    socket_leave_to_kernel(lingering->buffers.fd);
    close(lingering->buffers.fd);
    free(lingering);
}

static void reset(struct connection_state *state)
{
    socket_reset_at_close(lingering_of(state)->buffers.fd);
    end(state);
}

/* Its client was served, or counted when it was refused. */
static bool make_room(struct connection_state *state)
{
    end(state);
    return true;
}

static void cut(struct connection_state *state)
{
    metrics_count_rejection(&state->loop->metrics, METRICS_SEND_TIMEOUT);
    reset(state);
}

static uint64_t moved(const struct connection_state *state)
{
    int fd = lingering_of(state)->buffers.fd;

    return UINT64_MAX / 2 - (uint64_t)socket_buffers_queued(fd, SIOCOUTQ);
}

static void abort_one(struct connection_state *state)
{
    if (state->stage == CONNECTION_SEND && state->port->profile->counted)
        service_note_cut(state->loop->service);
    reset(state);
}

static const struct protocol protocol = {
    .end_overdue = end,
    .make_room = make_room,
    .moved = moved,
    .cut = cut,
    .abort = abort_one,
};

void connection_state_linger(struct connection_state *state,
                             struct transport *transport, bool drops)
{
    struct lingering *lingering = malloc(sizeof(*lingering));
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP,
                                .data = {.ptr = lingering}};
    int fd = transport->fd;

    transport_shutdown(transport, SHUT_WR);
    transport_free_layer(transport);
    if (!lingering) {
        connection_state_release(state);
        transport_free(transport);
        close(fd);
        return;
    }
    *lingering =
        (struct lingering){.buffers = transport->buffers, .drops = drops};
    transport->buffers.send_leased = transport->buffers.receive_leased = 0;
    connection_state_hand_over(
        state, &lingering->state, &protocol,
        drops && !socket_has_unsent(fd) ? CONNECTION_LINGER : CONNECTION_SEND);
    epoll_ctl(state->port->list->linger_fd, EPOLL_CTL_ADD, fd, &event);
}

/* Drops what has arrived. False when the client has ended, or has sent more
 * than it may. */
static bool drop_input(struct lingering *lingering)
{
    char input[STEP];
    ssize_t got = 1;

    for (int i = 0; i < STEPS && got > 0; i++) {
        got = recv(lingering->buffers.fd, input, sizeof(input), MSG_DONTWAIT);
        lingering->dropped += got > 0 ? (size_t)got : 0;
    }
    return got != 0 && (got > 0 || errno == EAGAIN || errno == EINTR) &&
           lingering->dropped <= DROPPED_BYTES;
}

void connection_list_drop_input(struct connection_list *list)
{
    struct epoll_event events[BATCH];
    int count = epoll_wait(list->linger_fd, events, BATCH, 0);

    for (int i = 0; i < count; i++) {
        struct lingering *lingering = events[i].data.ptr;

        if (drop_input(lingering))
            continue;
        lingering->drops = false;
        epoll_ctl(list->linger_fd, EPOLL_CTL_DEL, lingering->buffers.fd, NULL);
        if (lingering->state.stage == CONNECTION_LINGER ||
            !socket_has_unsent(lingering->buffers.fd))
            end(&lingering->state);
    }
}

void connection_list_check_lingering(struct connection_list *list)
{
    uint64_t now_ms = loop_context_now_ms(list->loop);
    struct stage_entry *each, *next;

    if (now_ms < list->lingering_ms + CHECK_MS)
        return;
    list->lingering_ms = now_ms;

    for (each = TAILQ_FIRST(&list->queues[CONNECTION_SEND].entries); each;
         each = next) {
        struct connection_state *state = connection_state_of(each);

        next = TAILQ_NEXT(each, link);
        if (state->protocol != &protocol ||
            socket_has_unsent(lingering_of(state)->buffers.fd))
            continue;
        if (lingering_of(state)->drops)
            connection_state_enter(state, CONNECTION_LINGER);
        else
            end(state);
    }
}
