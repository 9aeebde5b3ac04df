#include "server/conn/connection_list.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernels/core/require.h"
#include "server/base/bounds.h"
#include "server/limits/age.h"
#include "server/limits/connection_cost.h"

struct silent {
    struct stage_entry entry; /* first */
    struct arrival arrival;
};

void stage_queue_init(struct stage_queue *queue)
{
    TAILQ_INIT(&queue->entries);
    queue->next_look = NULL;
}

void stage_queue_add(struct stage_queue *queue, struct stage_entry *entry,
                     uint64_t now_ms)
{
    entry->since_ms = now_ms;
    TAILQ_INSERT_TAIL(&queue->entries, entry, link);
    if (!queue->next_look)
        queue->next_look = entry;
}

void stage_queue_remove(struct stage_queue *queue, struct stage_entry *entry)
{
    if (queue->next_look == entry)
        queue->next_look = TAILQ_NEXT(entry, link);
    TAILQ_REMOVE(&queue->entries, entry, link);
}

static bool is_of_age(const struct stage_entry *entry, uint64_t now_ms,
                      uint64_t age_ms)
{
    return entry && now_ms >= entry->since_ms + age_ms;
}

struct stage_entry *stage_queue_oldest(const struct stage_queue *queue,
                                       uint64_t now_ms, uint64_t age_ms)
{
    struct stage_entry *first = TAILQ_FIRST(&queue->entries);

    return is_of_age(first, now_ms, age_ms) ? first : NULL;
}

struct stage_entry *stage_queue_look(struct stage_queue *queue, uint64_t now_ms,
                                     uint64_t age_ms)
{
    struct stage_entry *entry = queue->next_look;

    if (!is_of_age(entry, now_ms, age_ms))
        return NULL;
    queue->next_look = TAILQ_NEXT(entry, link);
    return entry;
}

/* When a connection that begins now is to end. */
static uint64_t find_age_end(const struct connection_state *state)
{
    int64_t seconds = loop_context_options(state->loop)->max_connection_age;

    return age_end_ms(seconds, &state->peer, loop_context_now_ms(state->loop));
}

static struct stage_queue *queue_of(const struct connection_state *state)
{
    return &state->port->list->queues[state->stage];
}

static void begin_stage(struct connection_state *state,
                        enum connection_stage stage)
{
    state->stage = stage;
    if (stage == CONNECTION_BODY || stage == CONNECTION_SEND)
        state->progress = (struct progress){.started = false};
    stage_queue_add(queue_of(state), &state->entry,
                    loop_context_now_ms(state->loop));
}

void connection_state_init(struct connection_state *state,
                           struct loop_port *port, const struct peer *peer,
                           enum connection_stage stage)
{
    *state = (struct connection_state){
        .port = port,
        .loop = port->list->loop,
        .peer = *peer,
        .address_hash = peer_hash(peer),
    };
    state->age_end_ms = find_age_end(state);
    begin_stage(state, stage);
}

void connection_state_enter(struct connection_state *state,
                            enum connection_stage stage)
{
    REQUIRE_WITH(stage < CONNECTION_STAGES, "%d", stage);
    stage_queue_remove(queue_of(state), &state->entry);
    begin_stage(state, stage);
}

/* Takes a socket of a port off the counts that have it since its accept. */
static void uncount(struct loop_port *port, const struct peer *peer)
{
    const struct listener_profile *profile = port->profile;
    struct service *service = port->list->loop->service;

    REQUIRE(atomic_fetch_sub(&port->list->loop->open, 1) > 0);
    if (profile->counted) {
        address_limit_remove(&service->address_limit, peer);
        REQUIRE(atomic_fetch_sub(&service->connections, 1) > 0);
    }
    profile->on_closed(profile->on_closed_context);
}

void connection_state_release(struct connection_state *state)
{
    stage_queue_remove(queue_of(state), &state->entry);
    uncount(state->port, &state->peer);
}

void connection_list_refuse(struct loop_port *port,
                            const struct arrival *arrival)
{
    close(arrival->fd);
    uncount(port, &arrival->peer);
}

static struct silent *silent_of(struct stage_entry *entry)
{
    return (struct silent *)entry; /* its first member */
}

bool silent_set_init(struct silent_set *set)
{
    stage_queue_init(&set->queue);
    set->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    return set->epoll_fd >= 0;
}

void silent_set_free(struct silent_set *set)
{
    close(set->epoll_fd);
}

/* False if recv() would give bytes, the end, or an error. */
static bool is_silent(int fd)
{
    char byte;

    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0;
}

bool silent_set_hold(struct silent_set *set, const struct arrival *arrival,
                     uint64_t now_ms)
{
    struct silent *silent = malloc(sizeof(*silent));
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP};

    if (!silent)
        return false;
    silent->arrival = *arrival;
    event.data.ptr = silent;
    if (epoll_ctl(set->epoll_fd, EPOLL_CTL_ADD, arrival->fd, &event) != 0) {
        free(silent);
        return false;
    }
    stage_queue_add(&set->queue, &silent->entry, now_ms);
    return true;
}

static bool hold_silent(struct silent_set *set, const struct arrival *arrival,
                        uint64_t now_ms)
{
    return is_silent(arrival->fd) && silent_set_hold(set, arrival, now_ms);
}

static struct arrival take_out(struct silent_set *set, struct silent *silent)
{
    struct arrival arrival = silent->arrival;

    epoll_ctl(set->epoll_fd, EPOLL_CTL_DEL, arrival.fd, NULL);
    stage_queue_remove(&set->queue, &silent->entry);
    free(silent);
    return arrival;
}

static uint32_t hash_of(const struct epoll_event *event)
{
    const struct silent *silent = event->data.ptr;

    return peer_hash(&silent->arrival.peer);
}

/* epoll names first those that it has not named for longest. */
bool silent_set_take_turn(struct silent_set *set, struct arrival *arrival)
{
    struct epoll_event events[SILENT_SET_BATCH];
    int count = epoll_wait(set->epoll_fd, events, SILENT_SET_BATCH, 0);
    int chosen = 0;

    if (count <= 0)
        return false;
    while (chosen < count && hash_of(&events[chosen]) == set->last_hash)
        chosen++;
    if (chosen == count)
        chosen = 0;
    set->last_hash = hash_of(&events[chosen]);
    *arrival = take_out(set, events[chosen].data.ptr);
    return true;
}

static struct silent *oldest_silent(const struct silent_set *set,
                                    uint64_t now_ms, uint64_t age_ms)
{
    return silent_of(stage_queue_oldest(&set->queue, now_ms, age_ms));
}

static bool take_bytes(void *budget, size_t bytes)
{
    return budget_lease_spare(budget, bytes);
}

static void give_bytes(void *budget, size_t bytes)
{
    budget_give_spare(budget, bytes);
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
                    .take = take_bytes,
                    .give = give_bytes,
                    .context = &loop->service->jobs.budget},
    };
    socket_buffers_read_most(&list->buffers);
    for (int i = 0; i < CONNECTION_STAGES; i++)
        stage_queue_init(&list->queues[i]);
    return silent_set_init(&list->silent) &&
           start_port(list, LOOP_HTTP, loop->profile, uv) &&
           start_port(list, LOOP_GRPC, loop_context_grpc(loop), uv);
}

void connection_list_free(struct connection_list *list)
{
    for (int i = 0; i < LOOP_PORTS; i++)
        if (list->ports[i].protocol)
            list->ports[i].protocol->free(&list->ports[i]);
    for (int i = 0; i < CONNECTION_STAGES; i++)
        REQUIRE_WITH(TAILQ_EMPTY(&list->queues[i].entries), "stage %d", i);
    REQUIRE(TAILQ_EMPTY(&list->silent.queue.entries));
    silent_set_free(&list->silent);
}

/* True if one more connection may begin. Handshakes have half of the
 * processors, of which there are as many as workers unless options say so. */
static bool may_adopt(struct connection_list *list)
{
    const struct options *options = loop_context_options(list->loop);
    const uint64_t half_ns = HANDSHAKE_SHARE_MS * UINT64_C(1000000) / 2;
    uint64_t loops = (uint64_t)options->http_thread_count;
    uint64_t share_ns = half_ns * (uint64_t)options->worker_count / loops;

    return !list->loop->profile->tls ||
           handshake_share_take(
               &list->handshakes, loop_context_now_ms(list->loop),
               list->loop->handshake_ns, min_size(share_ns, half_ns));
}

static void adopt(struct connection_list *list, const struct arrival *arrival)
{
    struct loop_port *port = &list->ports[arrival->port];

    REQUIRE_WITH(port->protocol, "port %d", arrival->port);
    port->protocol->adopt(port, arrival);
}

void connection_list_arrive(struct connection_list *list,
                            const struct arrival *arrival)
{
    uint64_t now_ms = loop_context_now_ms(list->loop);

    if (!hold_silent(&list->silent, arrival, now_ms) &&
        (may_adopt(list) || !silent_set_hold(&list->silent, arrival, now_ms)))
        adopt(list, arrival);
}

bool connection_list_adopt_ready(struct connection_list *list)
{
    struct arrival arrival;

    for (int i = 0; i < SILENT_SET_BATCH; i++) {
        if (!may_adopt(list))
            return false;
        if (!silent_set_take_turn(&list->silent, &arrival))
            return true;
        adopt(list, &arrival);
    }
    return true;
}

/* Closes a socket; false if its client has just sent bytes: it is adopted. */
static bool close_one_silent(struct connection_list *list,
                             struct silent *silent)
{
    bool stays = is_silent(silent->arrival.fd);
    struct arrival arrival = take_out(&list->silent, silent);

    if (!stays) {
        adopt(list, &arrival);
        return false;
    }
    connection_list_refuse(&list->ports[arrival.port], &arrival);
    return true;
}

enum {
    RELIEF_PARTS = 8, /* one of 8 parts of the limit is made free */
    /* A client that has just connected is about to send its request; one that
     * has sent a part of it, or was served before, has longer. */
    SILENT_MS = 100,
    WAIT_MS = 1000,
    WAITING = 5, /* queues of those that wait */
};

/* Of a loop, those that wait for their client, in the order in which they make
 * room: silent ones first, then those that have sent a part of a request, are
 * closed on our side, are between two requests, and have idle calls. */
static struct stage_queue *waiting_queue(struct connection_list *list, int i)
{
    static const enum connection_stage stages[WAITING] = {
        [1] = CONNECTION_HEADERS,
        CONNECTION_LINGER,
        CONNECTION_IDLE,
        CONNECTION_WORK};

    return i == 0 ? &list->silent.queue : &list->queues[stages[i]];
}

/* Only addresses with more than half of an even share make room, of which there
 * is one near the limit. Connections over a unix socket are no address's. */
static bool has_many(const struct connection_list *list, int queue,
                     struct stage_entry *entry)
{
    const struct loop_context *loop = list->loop;
    const struct peer *peer = queue == 0 ? &silent_of(entry)->arrival.peer
                                         : &connection_state_of(entry)->peer;

    return !loop->profile->counted || peer_is_unix(peer) ||
           address_limit_has_half(&loop->service->address_limit, peer);
}

static bool has_waited(const struct connection_list *list, int queue,
                       const struct stage_entry *entry)
{
    uint64_t age_ms = queue == 0 ? SILENT_MS : WAIT_MS;

    return loop_context_now_ms(list->loop) >= entry->since_ms + age_ms;
}

static bool make_room(struct connection_list *list, int queue,
                      struct stage_entry *entry)
{
    if (queue > 0) {
        struct connection_state *state = connection_state_of(entry);

        return state->port->protocol->make_room(state);
    }
    if (!close_one_silent(list, silent_of(entry)))
        return false;
    metrics_count_rejection(&list->loop->metrics, METRICS_CROWD);
    return true;
}

/* Closes at most `wanted` of a queue. Returns how many are still wanted, less
 * those that will make room when they have waited for longer. */
static size_t close_oldest(struct connection_list *list, int queue,
                           size_t wanted)
{
    struct stage_entry *each =
        TAILQ_FIRST(&waiting_queue(list, queue)->entries);
    struct stage_entry *next;
    size_t others = 0;

    for (; each && wanted > 0; each = next) {
        next = TAILQ_NEXT(each, link);
        if (!has_many(list, queue, each))
            continue;
        if (!has_waited(list, queue, each))
            others++;
        else if (make_room(list, queue, each))
            wanted--;
    }
    return wanted - min_size(wanted, others);
}

/* This loop's part of the connections that are to be closed. */
static size_t find_excess(const struct connection_list *list)
{
    const struct listener_profile *profile = list->loop->profile;
    size_t own = atomic_load(&list->loop->open);
    size_t open =
        profile->counted ? atomic_load(&list->loop->service->connections) : own;
    size_t kept = profile->limit - profile->limit / RELIEF_PARTS;

    if (!listener_profile_is_near(profile, open))
        return 0;
    /* Of a limit below 8, one connection. */
    return ((open > kept ? open - kept : 1) * own + open - 1) / open;
}

/* Near the limit the oldest connections that wait for their client make room.
 * Those of a queue are spared as long as younger ones of the queues before will
 * make room in one of the next ticks. */
static void relieve(struct connection_list *list)
{
    size_t wanted = find_excess(list);

    for (int i = 0; i < WAITING && wanted > 0; i++)
        wanted = close_oldest(list, i, wanted);
}

enum {
    /* A client that read "Connection: close" in its last reply is about to
     * close; one that did not may be about to send a request. */
    STOP_GRACE_MS = 100,
    /* So long after a stage began, memory that is not in use is given back. */
    TRIM_MS = 1000,
};

static void end_silent(struct connection_list *list, uint64_t limit_ms)
{
    uint64_t now_ms = loop_context_now_ms(list->loop);
    struct silent *each;

    while ((each = oldest_silent(&list->silent, now_ms, limit_ms)))
        close_one_silent(list, each);
}

/* Ends all connections of the stage that are past its limit. */
static void end_stage(struct connection_list *list, enum connection_stage stage,
                      uint64_t limit_ms)
{
    uint64_t now_ms = loop_context_now_ms(list->loop);
    struct stage_entry *each;

    while (
        (each = stage_queue_oldest(&list->queues[stage], now_ms, limit_ms))) {
        struct connection_state *state = connection_state_of(each);

        state->port->protocol->end_overdue(state);
        REQUIRE_WITH(TAILQ_FIRST(&list->queues[stage].entries) != each,
                     "stage %d", stage);
    }
}

static void end_overdue(struct connection_list *list)
{
    const struct options *options = loop_context_options(list->loop);
    uint64_t idle_ms = (uint64_t)options->idle_timeout * 1000;
    uint64_t header_ms = (uint64_t)options->header_timeout * 1000;

    end_stage(list, CONNECTION_IDLE, idle_ms);
    end_stage(list, CONNECTION_HEADERS, header_ms);
    end_stage(list, CONNECTION_LINGER, CONNECTION_LINGER_MS);
    end_silent(list, list->loop->profile->tls ? header_ms : idle_ms);
}

/* False if the client is too slow. The pressure of the budget is for those who
 * hold a part of it: to cut others would free nothing. */
static bool is_fast(struct connection_state *state, uint64_t now_ms)
{
    const struct protocol *protocol = state->port->protocol;
    const struct options *options = loop_context_options(state->loop);
    bool presses = protocol->holds_budget && protocol->holds_budget(state);

    return progress_check(
        &state->progress, now_ms, protocol->moved(state),
        (uint64_t)options->body_timeout * 1000,
        presses ? budget_pressure(&state->loop->service->jobs.budget, now_ms)
                : 0);
}

static void judge(struct connection_list *list, enum connection_stage stage)
{
    uint64_t now_ms = loop_context_now_ms(list->loop);
    struct stage_entry *each = TAILQ_FIRST(&list->queues[stage].entries), *next;

    for (; each; each = next) {
        struct connection_state *state = connection_state_of(each);

        next = TAILQ_NEXT(each, link);
        if (!is_fast(state, now_ms))
            state->port->protocol->cut(state);
    }
}

static void check_each_second(struct connection_list *list)
{
    uint64_t now_ms = loop_context_now_ms(list->loop);

    if (now_ms < list->judged_ms + PROGRESS_PERIOD_MS)
        return;
    list->judged_ms = now_ms;
    judge(list, CONNECTION_BODY);
    judge(list, CONNECTION_SEND);
}

/* The next request may begin at once and go on slowly. */
static void trim(struct connection_list *list, enum connection_stage stage)
{
    uint64_t now_ms = loop_context_now_ms(list->loop);
    struct stage_entry *each;

    while ((each = stage_queue_look(&list->queues[stage], now_ms, TRIM_MS))) {
        struct connection_state *state = connection_state_of(each);

        if (state->port->protocol->trim)
            state->port->protocol->trim(state);
    }
}

/* Closes the connections that have been idle for a moment. */
static void close_idle(struct connection_list *list)
{
    uint64_t now_ms = loop_context_now_ms(list->loop);
    struct stage_entry *each =
        TAILQ_FIRST(&list->queues[CONNECTION_IDLE].entries);
    struct stage_entry *next;

    for (; each && now_ms >= each->since_ms + STOP_GRACE_MS; each = next) {
        struct connection_state *state = connection_state_of(each);

        next = TAILQ_NEXT(each, link);
        if (state->port->protocol->stop)
            state->port->protocol->stop(state);
    }
    end_silent(list, STOP_GRACE_MS);
}

static void abort_all(struct connection_list *list)
{
    struct stage_entry *each, *next;

    for (int stage = 0; stage < CONNECTION_STAGES; stage++)
        for (each = TAILQ_FIRST(&list->queues[stage].entries); each;
             each = next) {
            struct connection_state *state = connection_state_of(each);

            next = TAILQ_NEXT(each, link);
            state->port->protocol->abort(state);
        }
    end_silent(list, 0);
}

static void check_stages(struct connection_list *list, enum service_phase phase)
{
    /* Its steps are shorter than a second. */
    budget_pressure(&list->loop->service->jobs.budget,
                    loop_context_now_ms(list->loop));
    end_overdue(list);
    relieve(list);
    check_each_second(list);
    trim(list, CONNECTION_IDLE);
    trim(list, CONNECTION_HEADERS);
    trim(list, CONNECTION_BODY);
    if (phase >= SERVICE_STOPPING)
        close_idle(list);
}

void connection_list_check(struct connection_list *list)
{
    enum service_phase phase = loop_context_phase(list->loop);

    if (phase == SERVICE_ABORTING)
        abort_all(list);
    else
        check_stages(list, phase);
    for (int i = 0; i < LOOP_PORTS; i++)
        if (list->ports[i].protocol && list->ports[i].protocol->tick)
            list->ports[i].protocol->tick(&list->ports[i]);
}
