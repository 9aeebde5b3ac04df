/* The connections of a loop together: sockets that are no connections yet, who
 * makes room near the limit, and who is past the limit of its stage, too slow
 * or has gone. A tick looks at the oldest of each stage, so a connection that
 * waits costs nothing. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/http/connection.h"
#include "server/limits/budget.h"
#include "server/limits/crowd.h"

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

bool connection_list_init(struct connection_list *list,
                          struct loop_context *loop, struct engine *engine)
{
    *list = (struct connection_list){.loop = loop, .engine = engine};
    for (int i = 0; i < CONNECTION_STAGES; i++)
        stage_queue_init(&list->queues[i]);
    stage_queue_init(&list->heard);
    return silent_set_init(&list->silent);
}

void connection_list_free(struct connection_list *list)
{
    silent_set_free(&list->silent);
}

/* True if the engine may get one more socket. Handshakes have half of the
 * processors, of which there are as many as workers unless options say so. */
static bool may_adopt(struct connection_list *list)
{
    const struct options *options = loop_context_options(list->loop);
    const uint64_t half_ns = HANDSHAKE_SHARE_MS * UINT64_C(1000000) / 2;
    uint64_t loops = (uint64_t)options->http_thread_count;
    uint64_t share_ns = half_ns * (uint64_t)options->worker_count / loops;

    return !list->loop->profile->tls ||
           handshake_share_take(&list->handshakes,
                                loop_context_now_ms(list->loop),
                                engine_handshake_ns(list->engine),
                                share_ns < half_ns ? share_ns : half_ns);
}

void connection_list_arrive(struct connection_list *list,
                            const struct arrival *arrival)
{
    uint64_t now_ms = loop_context_now_ms(list->loop);

    if (!hold_silent(&list->silent, arrival, now_ms) &&
        (may_adopt(list) || !silent_set_hold(&list->silent, arrival, now_ms)))
        connection_adopt(list, arrival);
}

bool connection_list_adopt_ready(struct connection_list *list)
{
    struct arrival arrival;

    for (int i = 0; i < SILENT_SET_BATCH; i++) {
        if (!may_adopt(list))
            return false;
        if (!silent_set_take_turn(&list->silent, &arrival))
            return true;
        connection_adopt(list, &arrival);
    }
    return true;
}

/* Closes a socket; false if its client has just sent bytes: the engine gets it
 * then. */
static bool close_one_silent(struct connection_list *list,
                             struct silent *silent)
{
    bool stays = is_silent(silent->arrival.fd);
    struct arrival arrival = take_out(&list->silent, silent);

    if (!stays) {
        connection_adopt(list, &arrival);
        return false;
    }
    close(arrival.fd);
    listener_uncount(list->loop, list->loop->profile, &arrival.peer);
    return true;
}

/* Near the limit of connections the oldest ones that wait for their client make
 * room: silent ones first, those between two requests last; and only those of
 * addresses with more than half of their share, of which there is one then. */
enum {
    /* A client that has just connected is about to send its request; one that
     * has sent a part of it, or was served before, has longer. */
    SILENT_MS = 100,
    WAIT_MS = 1000,
    RELIEF_PARTS = 8, /* one of 8 parts of the limit is made free */
};

enum { WAITING = 4 }; /* queues of those that wait */

static struct stage_queue *waiting_queue(struct connection_list *list, int i)
{
    static const enum connection_stage stages[WAITING] = {
        [1] = CONNECTION_HEADERS, CONNECTION_LINGER, CONNECTION_IDLE};

    return i == 0 ? &list->silent.queue : &list->queues[stages[i]];
}

/* Connections over a unix socket are no address's. */
static bool has_many(const struct connection_list *list, int queue,
                     struct stage_entry *entry)
{
    const struct loop_context *loop = list->loop;
    const struct peer *peer = queue == 0 ? &silent_of(entry)->arrival.peer
                                         : &connection_of(entry)->state.peer;

    return !loop->profile->counted || peer_is_unix(peer) ||
           address_limit_exceeds(&loop->service->address_limit, peer,
                                 ADDRESS_SHARE_HALF);
}

static bool has_waited(const struct connection_list *list, int queue,
                       const struct stage_entry *entry)
{
    uint64_t age_ms = queue == 0 ? SILENT_MS : WAIT_MS;

    return loop_context_now_ms(list->loop) >= entry->since_ms + age_ms;
}

/* False if a request has just arrived: it is served. */
static bool close_waiting(struct connection *connection)
{
    struct connection_state *state = &connection->state;

    if (state->stage == CONNECTION_HEADERS) {
        connection_refuse(connection, METRICS_CROWD,
                          "the port is full (max-connections) and the headers "
                          "have not arrived yet");
        return true;
    }
    if (engine_has_unread(state->engine))
        return false;
    metrics_count_rejection(&state->loop->metrics, METRICS_CROWD);
    if (engine_has_unsent(state->engine)) /* it would go on to count */
        engine_reset(state->engine);
    connection_hang_up(connection);
    return true;
}

static bool make_room(struct connection_list *list, int queue,
                      struct stage_entry *entry)
{
    if (queue > 0)
        return close_waiting(connection_of(entry));
    if (!close_one_silent(list, silent_of(entry)))
        return false;
    metrics_count_rejection(&list->loop->metrics, METRICS_CROWD);
    return true;
}

/* Closes at most *wanted of a queue, and lowers *wanted by them. Returns how
 * many others will make room when they have waited for longer. */
static size_t close_oldest(struct connection_list *list, int queue,
                           size_t *wanted)
{
    struct stage_entry *each =
        TAILQ_FIRST(&waiting_queue(list, queue)->entries);
    struct stage_entry *next;
    size_t others = 0;

    for (; each && *wanted > 0; each = next) {
        next = TAILQ_NEXT(each, link);
        if (!has_many(list, queue, each))
            continue;
        if (!has_waited(list, queue, each))
            others++;
        else if (make_room(list, queue, each))
            --*wanted;
    }
    return others;
}

/* This loop's part of the connections that are to be closed. */
static size_t find_excess(const struct connection_list *list)
{
    const struct listener_profile *profile = list->loop->profile;
    size_t own = atomic_load(&list->loop->open);
    size_t open =
        profile->counted ? atomic_load(&list->loop->service->connections) : own;
    size_t kept = profile->limit - profile->limit / RELIEF_PARTS;

    if (!crowd_is_near(open, profile->limit))
        return 0;
    /* Of a limit below 8, one connection. */
    return ((open > kept ? open - kept : 1) * own + open - 1) / open;
}

/* Connections between two requests are spared as long as younger ones of the
 * other queues will make room in one of the next ticks. */
static void relieve(struct connection_list *list)
{
    size_t wanted = find_excess(list), others = 0;

    for (int i = 0; i < WAITING - 1; i++)
        others += close_oldest(list, i, &wanted);
    if (wanted <= others)
        return;
    wanted -= others;
    close_oldest(list, WAITING - 1, &wanted);
}

enum {
    /* A client that read "Connection: close" in its last reply is about to
     * close; one that did not may be about to send a request. */
    STOP_GRACE_MS = 100,
    /* So long after a stage began, memory that is not in use is given back. */
    TRIM_MS = 1000,
};

/* The oldest of the stage that is past its limit; NULL: none. */
static struct connection *find_overdue(struct connection_list *list,
                                       enum connection_stage stage,
                                       uint64_t limit_ms)
{
    uint64_t now_ms = loop_context_now_ms(list->loop);
    struct stage_entry *entry =
        stage_queue_oldest(&list->queues[stage], now_ms, limit_ms);

    return entry ? connection_of(entry) : NULL;
}

static void end_silent(struct connection_list *list, uint64_t limit_ms)
{
    uint64_t now_ms = loop_context_now_ms(list->loop);
    struct silent *each;

    while ((each = oldest_silent(&list->silent, now_ms, limit_ms)))
        close_one_silent(list, each);
}

static void end_overdue(struct connection_list *list)
{
    const struct options *options = loop_context_options(list->loop);
    uint64_t idle_ms = (uint64_t)options->idle_timeout * 1000;
    uint64_t header_ms = (uint64_t)options->header_timeout * 1000;
    struct connection *each;

    while ((each = find_overdue(list, CONNECTION_IDLE, idle_ms)))
        connection_hang_up(each);
    while ((each = find_overdue(list, CONNECTION_HEADERS, header_ms)))
        connection_refuse(each, METRICS_HEADER_TIMEOUT,
                          "the headers did not arrive in time");
    while ((each = find_overdue(list, CONNECTION_LINGER, CONNECTION_LINGER_MS)))
        connection_hang_up(each);
    end_silent(list, list->loop->profile->tls ? header_ms : idle_ms);
}

static void cut(struct connection *connection)
{
    struct connection_state *state = &connection->state;

    if (state->stage == CONNECTION_BODY) {
        connection_refuse(connection, METRICS_BODY_TIMEOUT,
                          "the body did not arrive in time");
        return;
    }
    http_exchange_reject(&connection->http, METRICS_SEND_TIMEOUT);
    engine_reset(state->engine);
    connection_state_enter(state, CONNECTION_ENDING);
}

/* The pressure of the budget is for those who hold a part of it: to cut others
 * would free nothing. */
static unsigned pressure_on(struct connection_state *state, uint64_t now_ms)
{
    const struct connection *connection = connection_of(&state->entry);
    struct budget *budget = &state->loop->service->jobs.budget;

    return connection->http.exchange.lease.held > CONNECTION_COST_ALLOWANCE
               ? budget_pressure(budget, now_ms)
               : 0;
}

/* False if the client is too slow. */
static bool is_fast(struct connection_state *state, uint64_t now_ms)
{
    const struct options *options = loop_context_options(state->loop);
    uint64_t limit_ms = (uint64_t)options->body_timeout * 1000;
    uint64_t moved =
        engine_moved(state->engine, state->stage == CONNECTION_SEND);

    return progress_check(&state->progress, now_ms, moved, limit_ms,
                          pressure_on(state, now_ms));
}

static void judge(struct connection_list *list, enum connection_stage stage)
{
    uint64_t now_ms = loop_context_now_ms(list->loop);
    struct stage_entry *each = TAILQ_FIRST(&list->queues[stage].entries), *next;

    for (; each; each = next) {
        struct connection *connection = connection_of(each);

        next = TAILQ_NEXT(each, link);
        if (!is_fast(&connection->state, now_ms))
            cut(connection);
    }
}

/* libmicrohttpd receives on in the stages that it reads in. */
static bool may_end(enum connection_stage stage)
{
    return stage == CONNECTION_IDLE || stage == CONNECTION_HEADERS ||
           stage == CONNECTION_BODY || stage == CONNECTION_LINGER;
}

static void end_if_gone(struct connection *connection)
{
    if (may_end(connection->state.stage) &&
        engine_has_ended(connection->state.engine, false))
        connection_hang_up(connection);
}

/* The end of a client's half that has come together with its last bytes is not
 * reported to libmicrohttpd: its recv() has found bytes, and epoll has nothing
 * new to say. So this asks the sockets that bytes have come from. */
static void end_gone(struct connection_list *list)
{
    struct stage_entry *each;

    while ((each = stage_queue_oldest(&list->heard, UINT64_MAX, 0))) {
        struct connection *connection = connection_of_heard(each);

        stage_queue_remove(&list->heard, each);
        connection->state.is_heard = false;
        end_if_gone(connection);
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

    while ((each = stage_queue_look(&list->queues[stage], now_ms, TRIM_MS)))
        engine_trim(connection_of(each)->state.engine,
                    stage == CONNECTION_IDLE);
}

/* Closes the connections that have been idle for a moment. Bytes that were not
 * received yet are a request, which gets its reply. */
static void close_idle(struct connection_list *list)
{
    uint64_t now_ms = loop_context_now_ms(list->loop);
    struct stage_entry *each =
        TAILQ_FIRST(&list->queues[CONNECTION_IDLE].entries);
    struct stage_entry *next;

    for (; each && now_ms >= each->since_ms + STOP_GRACE_MS; each = next) {
        struct connection *connection = connection_of(each);

        next = TAILQ_NEXT(each, link);
        if (!engine_has_unread(connection->state.engine))
            connection_hang_up(connection);
    }
    end_silent(list, STOP_GRACE_MS);
}

/* True if its client would miss a reply, or a part of one. */
static bool is_running(const struct connection_state *state)
{
    switch (state->stage) {
    case CONNECTION_IDLE:
        return engine_has_unread(state->engine);
    case CONNECTION_HEADERS:
        return engine_is_established(state->engine);
    case CONNECTION_BODY:
    case CONNECTION_WORK:
    case CONNECTION_SEND:
        return true;
    default:
        return false;
    }
}

/* An idle connection is not reset: the kernel may still send its last reply. */
static void abort_one(struct connection *connection)
{
    struct connection_state *state = &connection->state;
    bool running = is_running(state);

    if (running && state->loop->profile->counted)
        service_note_cut(state->loop->service);
    if (!running && state->stage == CONNECTION_IDLE) {
        connection_hang_up(connection);
        return;
    }
    worker_cancel(&connection->http.exchange.task);
    engine_reset(state->engine);
}

static void abort_all(struct connection_list *list)
{
    struct stage_entry *each, *next;

    for (int stage = 0; stage < CONNECTION_STAGES; stage++)
        for (each = TAILQ_FIRST(&list->queues[stage].entries); each;
             each = next) {
            next = TAILQ_NEXT(each, link);
            abort_one(connection_of(each));
        }
    end_silent(list, 0);
}

void connection_list_check(struct connection_list *list)
{
    enum service_phase phase = loop_context_phase(list->loop);

    if (phase == SERVICE_ABORTING) {
        abort_all(list);
        return;
    }
    /* Its steps are shorter than a second. */
    budget_pressure(&list->loop->service->jobs.budget,
                    loop_context_now_ms(list->loop));
    end_overdue(list);
    relieve(list);
    check_each_second(list);
    end_gone(list);
    trim(list, CONNECTION_IDLE);
    trim(list, CONNECTION_HEADERS);
    trim(list, CONNECTION_BODY);
    if (phase >= SERVICE_STOPPING)
        close_idle(list);
}
