#include "server/conn/connection_list.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/sockios.h>

#include "kernels/core/require.h"
#include "kernels/core/size.h"
#include "server/base/bounds.h"
#include "server/limits/connection_cost.h"

/* When a connection that begins now is to end (--max-connection-age); 0: never.
 * It is a tenth sooner or later, for those that begin together are not to end
 * together. Knuth's multiplicative hash brings neighbouring ports far apart. */
static uint64_t find_age_end(const struct connection_state *state)
{
    uint64_t now_ms = loop_context_now_ms(state->loop);
    uint64_t age_ms =
        (uint64_t)loop_context_options(state->loop)->max_connection_age * 1000;
    uint64_t scattered =
        ((now_ms << 16 | state->peer.port) * UINT64_C(0x9e3779b97f4a7c15)) >>
        32;

    if (age_ms == 0)
        return 0;
    return now_ms + age_ms - age_ms / 10 + scattered % (age_ms / 5 + 1);
}

static struct stage_entries *queue_of(const struct connection_state *state)
{
    return &state->port->list->queues[state->stage];
}

static void begin_stage(struct connection_state *state,
                        enum connection_stage stage)
{
    state->stage = stage;
    if (stage == CONNECTION_BODY || stage == CONNECTION_SEND)
        state->progress = (struct progress){.started = false};
    state->trimmed = false;
    state->since_ms = loop_context_now_ms(state->loop);
    TAILQ_INSERT_TAIL(queue_of(state), state, entry);
}

void connection_state_init(struct connection_state *state,
                           struct loop_port *port, const struct peer *peer)
{
    *state = (struct connection_state){
        .protocol = port->protocol,
        .port = port,
        .loop = port->list->loop,
        .peer = *peer,
    };
    state->age_end_ms = find_age_end(state);
    /* The time for a handshake is that for a request's headers. */
    begin_stage(state,
                port->profile->tls ? CONNECTION_HEADERS : CONNECTION_ACCEPTED);
}

void connection_state_enter(struct connection_state *state,
                            enum connection_stage stage)
{
    REQUIRE_WITH(stage < CONNECTION_STAGES && state->protocol, "%d", stage);
    TAILQ_REMOVE(queue_of(state), state, entry);
    begin_stage(state, stage);
}

/* Takes a socket of a port off the counts that have it since its accept. */
static void uncount(struct loop_port *port, const struct peer *peer)
{
    const struct listener_profile *profile = port->profile;
    struct service *service = port->list->loop->service;

    REQUIRE(atomic_fetch_sub(&port->list->loop->open, 1) > 0);
    if (profile->counted) {
        address_limit_give(&service->address_limit, peer, 1);
        REQUIRE(atomic_fetch_sub(&service->connections, 1) > 0);
    }
    profile->on_closed(profile->on_closed_context);
}

void connection_state_release(struct connection_state *state)
{
    if (!state->protocol)
        return;
    TAILQ_REMOVE(queue_of(state), state, entry);
    state->protocol = NULL;
    uncount(state->port, &state->peer);
}

/* Sockets that their protocol is done with.
 *
 * After close() the kernel holds unacknowledged replies, up to megabytes, for
 * minutes, and no limit counts them; close() on unread bytes resets the
 * connection and loses the replies. So the socket lingers, and counts against
 * the limits, until the client has acknowledged all but a few bytes, at the
 * minimum rate, and has closed its half, at most CONNECTION_LINGER_MS later.
 * Input is dropped. */
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
    BATCH = 64,
};

static struct lingering *lingering_of(const struct connection_state *state)
{
    return (struct lingering *)(uintptr_t)state; /* its first member */
}

static void end_lingering(struct connection_state *state)
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

static void reset_lingering(struct connection_state *state)
{
    socket_reset_at_close(lingering_of(state)->buffers.fd);
    end_lingering(state);
}

/* Its client was served, or counted when it was refused. */
static bool make_room_of_lingering(struct connection_state *state)
{
    end_lingering(state);
    return true;
}

static void cut_lingering(struct connection_state *state)
{
    metrics_count_rejection(&state->loop->metrics, METRICS_SEND_TIMEOUT);
    reset_lingering(state);
}

static uint64_t moved_by_lingering(const struct connection_state *state)
{
    int fd = lingering_of(state)->buffers.fd;

    return UINT64_MAX / 2 - (uint64_t)socket_buffers_queued(fd, SIOCOUTQ);
}

static void abort_lingering(struct connection_state *state)
{
    if (state->stage == CONNECTION_SEND && state->port->profile->counted)
        service_note_cut(state->loop->service);
    reset_lingering(state);
}

static const struct protocol lingering_protocol = {
    .end_overdue = end_lingering,
    .make_room = make_room_of_lingering,
    .moved = moved_by_lingering,
    .cut = cut_lingering,
    .abort = abort_lingering,
};

/* Lets `to` take the place of a connection, in this stage. */
static void hand_over(struct connection_state *state,
                      struct connection_state *to, enum connection_stage stage)
{
    REQUIRE(state->protocol && state->protocol != &lingering_protocol);
    TAILQ_REMOVE(queue_of(state), state, entry);
    *to = *state;
    to->protocol = &lingering_protocol;
    begin_stage(to, stage);
    state->protocol = NULL;
}

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
    hand_over(state, &lingering->state,
              drops && !socket_has_unsent(fd) ? CONNECTION_LINGER
                                              : CONNECTION_SEND);
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
            end_lingering(&lingering->state);
    }
}

/* Its client may have acknowledged all replies. */
static void check_lingering(struct connection_state *state)
{
    if (state->protocol != &lingering_protocol ||
        socket_has_unsent(lingering_of(state)->buffers.fd))
        return;
    if (lingering_of(state)->drops)
        connection_state_enter(state, CONNECTION_LINGER);
    else
        end_lingering(state);
}

static bool start_port(struct connection_list *list, int i,
                       const struct listener_profile *profile, uv_loop_t *uv)
{
    struct loop_port *port = &list->ports[i];

    if (!profile)
        return true;
    *port = (struct loop_port){profile->protocol, profile, list, NULL};
    return port->protocol->start(port, uv);
}

bool connection_list_init(struct connection_list *list,
                          struct loop_context *loop, uv_loop_t *uv)
{
    *list = (struct connection_list){
        .loop = loop,
        .buffers = {.send = CONNECTION_COST_SNDBUF,
                    .receive = CONNECTION_COST_RCVBUF,
                    .take = budget_lease_socket,
                    .give = budget_give_socket,
                    .context = &loop->service->jobs.budget},
    };
    socket_buffers_read_most(&list->buffers);
    for (int i = 0; i < CONNECTION_STAGES; i++)
        TAILQ_INIT(&list->queues[i]);
    list->linger_fd = epoll_create1(EPOLL_CLOEXEC);
    return list->linger_fd >= 0 &&
           start_port(list, LOOP_HTTP, loop->profile, uv) &&
           start_port(list, LOOP_GRPC, loop_context_grpc(loop), uv);
}

void connection_list_free(struct connection_list *list)
{
    for (int i = 0; i < LOOP_PORTS; i++)
        if (list->ports[i].protocol)
            list->ports[i].protocol->free(&list->ports[i]);
    for (int i = 0; i < CONNECTION_STAGES; i++)
        REQUIRE_WITH(TAILQ_EMPTY(&list->queues[i]), "stage %d", i);
    close(list->linger_fd);
}

enum {
    SHARE_MS = 100, /* the time of which handshakes have a share */
    /* Charged for each one beforehand: its connection's memory and session. */
    START_NS = 100000,
};

/* What handshakes may take of a loop's time in SHARE_MS, and at most at once:
 * half of the processors, of which there are as many as workers unless options
 * say so. A handshake costs as much as dozens of requests and takes a client
 * next to nothing to provoke. */
static int64_t find_share(const struct options *options)
{
    const int64_t half_ns = SHARE_MS * INT64_C(1000000) / 2;

    return min_int64(half_ns, half_ns * options->worker_count /
                                  options->http_thread_count);
}

bool connection_list_may_adopt(struct connection_list *list)
{
    struct handshake_share *share = &list->handshakes;
    const struct loop_context *loop = list->loop;
    int64_t most_ns = find_share(loop_context_options(loop));
    uint64_t now_ms = loop_context_now_ms(loop);
    uint64_t passed_ms = size_min(now_ms - share->refilled_ms, SHARE_MS);

    if (!loop->profile->tls || loop_context_phase(loop) >= SERVICE_STOPPING)
        return true;
    share->left_ns += most_ns * (int64_t)passed_ms / SHARE_MS -
                      (int64_t)(loop->handshake_ns - share->counted_ns);
    share->left_ns = min_int64(share->left_ns, most_ns);
    share->refilled_ms = now_ms;
    share->counted_ns = loop->handshake_ns;
    if (share->left_ns <= 0)
        return false;
    share->left_ns -= START_NS;
    return true;
}

void connection_list_adopt(struct connection_list *list,
                           const struct arrival *arrival)
{
    struct loop_port *port = &list->ports[arrival->port];
    struct socket_layer layer = {.io = NULL};
    bool tls;

    REQUIRE_WITH(port->protocol, "port %d", arrival->port);
    tls = port->profile->tls;
    if (tls)
        layer =
            tls_stream_new(&list->loop->service->tls, arrival->fd,
                           arrival->port == LOOP_GRPC ? TLS_HTTP2 : TLS_HTTP1);
    if ((layer.io || !tls) && port->protocol->adopt(port, arrival, layer))
        return;
    if (layer.io)
        layer.io->free(layer.self);
    close(arrival->fd);
    uncount(port, &arrival->peer);
}

/* True if the connection began its stage `age_ms` ago or earlier. */
static bool is_of_age(const struct connection_state *state, uint64_t age_ms)
{
    return state &&
           loop_context_now_ms(state->loop) >= state->since_ms + age_ms;
}

/* Calls `visit` with the connections of a stage that are of age, the oldest
 * first. It may end them. */
static void each_of_age(struct connection_list *list,
                        enum connection_stage stage, uint64_t age_ms,
                        void (*visit)(struct connection_state *state))
{
    struct connection_state *each = TAILQ_FIRST(&list->queues[stage]), *next;

    for (; is_of_age(each, age_ms); each = next) {
        next = TAILQ_NEXT(each, entry);
        visit(each);
    }
}

enum {
    RELIEF_PARTS = 8, /* one of 8 parts of the limit is made free */
    /* A client that has just connected is about to send its request; one that
     * has sent a part of it, or was served before, has longer. */
    ACCEPTED_MS = 100,
    WAIT_MS = 1000,
};

/* Only addresses with more than half of an even share make room, of which there
 * is one near the limit. Connections over a unix socket are no address's. */
static bool has_many(const struct connection_state *state)
{
    return !state->loop->profile->counted || peer_is_unix(&state->peer) ||
           address_limit_has_half(&state->loop->service->address_limit,
                                  &state->peer);
}

/* Closes at most `wanted` of a stage. Returns how many are still wanted. */
static size_t close_oldest(struct connection_list *list,
                           enum connection_stage stage, size_t wanted)
{
    uint64_t age_ms = stage == CONNECTION_ACCEPTED ? ACCEPTED_MS : WAIT_MS;
    struct connection_state *each = TAILQ_FIRST(&list->queues[stage]), *next;

    for (; wanted > 0 && is_of_age(each, age_ms); each = next) {
        next = TAILQ_NEXT(each, entry);
        if (has_many(each) && each->protocol->make_room(each))
            wanted--;
    }
    return wanted;
}

/* This loop's part of the connections that are to be closed. */
static size_t find_excess(const struct connection_list *list)
{
    const struct listener_profile *profile = list->loop->profile;
    size_t own = atomic_load(&list->loop->open);
    size_t open =
        profile->counted ? atomic_load(&list->loop->service->connections) : own;
    size_t target = profile->limit - profile->limit / RELIEF_PARTS;

    if (!listener_profile_is_near(profile, open))
        return 0;
    /* Of a limit below 8, one connection. */
    return ((open > target ? open - target : 1) * own + open - 1) / open;
}

/* Near the limit closes the oldest connections that wait for their client,
 * stage by stage: accepted, in their headers, lingering, idle, with idle calls.
 */
static void relieve(struct connection_list *list)
{
    static const enum connection_stage stages[] = {
        CONNECTION_ACCEPTED, CONNECTION_HEADERS, CONNECTION_LINGER,
        CONNECTION_IDLE, CONNECTION_WORK};
    size_t wanted = find_excess(list);

    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++)
        wanted = close_oldest(list, stages[i], wanted);
}

enum {
    /* A client that read "Connection: close" in its last reply is about to
     * close; one that did not may be about to send a request. */
    STOP_GRACE_MS = 100,
    HANDSHAKE_GRACE_MS = 500, /* of a client that does not go on with it */
    /* So long after a stage began, memory that is not in use is given back. */
    TRIM_MS = 1000,
};

static void end_one(struct connection_state *state)
{
    state->protocol->end_overdue(state);
}

static void end_overdue(struct connection_list *list)
{
    const struct options *options = loop_context_options(list->loop);
    uint64_t idle_ms = (uint64_t)options->idle_timeout * 1000;
    uint64_t header_ms = (uint64_t)options->header_timeout * 1000;

    each_of_age(list, CONNECTION_ACCEPTED, idle_ms, end_one);
    each_of_age(list, CONNECTION_IDLE, idle_ms, end_one);
    each_of_age(list, CONNECTION_HEADERS, header_ms, end_one);
    each_of_age(list, CONNECTION_LINGER, CONNECTION_LINGER_MS, end_one);
}

/* False if the client is too slow. The budget's pressure applies to connections
 * that hold a part of it: ending others would free nothing. */
static bool is_fast(struct connection_state *state)
{
    uint64_t now_ms = loop_context_now_ms(state->loop);
    const struct protocol *protocol = state->protocol;
    const struct options *options = loop_context_options(state->loop);
    bool presses = protocol->holds_budget && protocol->holds_budget(state);

    return progress_check(
        &state->progress, now_ms, protocol->moved(state),
        (uint64_t)options->body_timeout * 1000,
        presses ? budget_pressure(&state->loop->service->jobs.budget, now_ms)
                : 0);
}

static void judge(struct connection_state *state)
{
    if (!is_fast(state))
        state->protocol->cut(state);
}

static void check_each_second(struct connection_list *list)
{
    uint64_t now_ms = loop_context_now_ms(list->loop);

    if (now_ms < list->judged_ms + PROGRESS_PERIOD_MS)
        return;
    list->judged_ms = now_ms;
    each_of_age(list, CONNECTION_BODY, 0, judge);
    each_of_age(list, CONNECTION_SEND, 0, judge);
}

/* The next request may begin at once and go on slowly. Who has been trimmed
 * stands in front of those who have not. */
static void trim(struct connection_list *list, enum connection_stage stage)
{
    struct connection_state *each =
        TAILQ_LAST(&list->queues[stage], stage_entries);

    for (; each && !each->trimmed;
         each = TAILQ_PREV(each, stage_entries, entry)) {
        each->trimmed = is_of_age(each, TRIM_MS);
        if (each->trimmed && each->protocol->trim)
            each->protocol->trim(each);
    }
}

static void stop_one(struct connection_state *state)
{
    if (state->protocol->stop)
        state->protocol->stop(state);
}

static void abort_one(struct connection_state *state)
{
    state->protocol->abort(state);
}

static void check_stages(struct connection_list *list, enum service_phase phase)
{
    /* Its steps are shorter than a second. */
    budget_pressure(&list->loop->service->jobs.budget,
                    loop_context_now_ms(list->loop));
    end_overdue(list);
    relieve(list);
    check_each_second(list);
    each_of_age(list, CONNECTION_SEND, 0, check_lingering);
    trim(list, CONNECTION_IDLE);
    trim(list, CONNECTION_HEADERS);
    trim(list, CONNECTION_BODY);
    if (phase < SERVICE_STOPPING)
        return;
    each_of_age(list, CONNECTION_ACCEPTED, STOP_GRACE_MS, stop_one);
    each_of_age(list, CONNECTION_IDLE, STOP_GRACE_MS, stop_one);
    each_of_age(list, CONNECTION_HEADERS, HANDSHAKE_GRACE_MS, stop_one);
}

void connection_list_check(struct connection_list *list)
{
    enum service_phase phase = loop_context_phase(list->loop);

    if (phase < SERVICE_ABORTING)
        check_stages(list, phase);
    /* CONNECTION_ENDING first: what comes into it now is ended already. */
    for (int stage = CONNECTION_STAGES;
         phase >= SERVICE_ABORTING && stage-- > 0;)
        each_of_age(list, (enum connection_stage)stage, 0, abort_one);
    for (int i = 0; i < LOOP_PORTS; i++)
        if (list->ports[i].protocol && list->ports[i].protocol->tick)
            list->ports[i].protocol->tick(&list->ports[i]);
}
