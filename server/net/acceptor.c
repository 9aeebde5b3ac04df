#include "server/net/acceptor.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernels/core/require.h"
#include "server/limits/connection_cost.h"

enum {
    BATCH = 64, /* connections accepted before other events are handled */
    RETRY_MS = 100,
    REPORT_MS = 1000,
};

static struct loop *least_loaded(struct acceptor *acceptor)
{
    struct loop *best = &acceptor->loops[0];
    size_t fewest = atomic_load(&best->context.open);

    for (int i = 1; i < acceptor->loop_count; i++) {
        struct loop *each = &acceptor->loops[i];
        size_t open = atomic_load(&each->context.open);

        if (open < fewest) {
            best = each;
            fewest = open;
        }
    }
    return best;
}

static size_t open_connections(const struct acceptor *acceptor)
{
    return atomic_load(acceptor->profile.counted
                           ? &acceptor->service->connections
                           : &acceptor->loops[0].context.open);
}

/* The room that is left near the limit is for addresses below their fair share:
 * so there is always some for a client that has few connections. */
static bool may_enter(struct acceptor *acceptor, const struct peer *peer)
{
    size_t limit = acceptor->profile.limit;
    size_t open = open_connections(acceptor);

    return open < limit &&
           (!acceptor->profile.counted ||
            !listener_profile_is_near(&acceptor->profile, open) ||
            !address_limit_has_share(&acceptor->service->address_limit, peer));
}

static void enter(struct acceptor *acceptor, const struct arrival *arrival)
{
    struct service *service = acceptor->service;

    REQUIRE(acceptor->loop_count > 0);
    if (!acceptor->profile.counted) {
        loop_hand_over(&acceptor->loops[0], arrival);
    } else if (address_limit_take(&service->address_limit, &arrival->peer, 1)) {
        atomic_fetch_add(&service->connections, 1);
        loop_hand_over(least_loaded(acceptor), arrival);
    } else {
        metrics_count_rejection(&acceptor->metrics,
                                METRICS_ADDRESS_CONNECTIONS);
        close(arrival->fd);
    }
}

static size_t hash_of(const struct peer *peer)
{
    return peer_hash(peer) % WAIT_HASHES;
}

static bool append(struct wait_list *list, const struct arrival *arrival)
{
    if (list->count == list->capacity)
        return false;
    list->sockets[list->count++] = *arrival;
    list->hashed[hash_of(&arrival->peer)]++;
    return true;
}

static struct arrival take(struct wait_list *list, size_t i)
{
    struct arrival arrival;

    REQUIRE_WITH(i < list->count, "%zu of %zu", i, list->count);
    arrival = list->sockets[i];
    REQUIRE(list->hashed[hash_of(&arrival.peer)] > 0);
    list->hashed[hash_of(&arrival.peer)]--;
    list->count--;
    memmove(&list->sockets[i], &list->sockets[i + 1],
            (list->count - i) * sizeof(list->sockets[0]));
    return arrival;
}

/* An address's connections and its sockets that wait: one whose connections are
 * just being closed has none of the first. */
static size_t weigh(const struct acceptor *acceptor, const struct peer *peer)
{
    struct address_limit *connections = &acceptor->service->address_limit;
    size_t waiting = acceptor->waiting.hashed[hash_of(peer)];

    return waiting + (acceptor->profile.counted
                          ? address_limit_count(connections, peer)
                          : 0);
}

/* The oldest socket of the address that has least of all. */
static size_t find_least(const struct acceptor *acceptor)
{
    const struct wait_list *list = &acceptor->waiting;
    size_t best = 0, least = SIZE_MAX;

    for (size_t i = 0; i < list->count && least > 0; i++) {
        size_t weight = weigh(acceptor, &list->sockets[i].peer);

        if (weight < least) {
            least = weight;
            best = i;
        }
    }
    return best;
}

/* The address that has least enters first. If even that one has its share, all
 * have. */
static void admit(struct acceptor *acceptor)
{
    struct wait_list *list = &acceptor->waiting;

    while (open_connections(acceptor) < acceptor->profile.limit &&
           list->count > 0) {
        size_t least = find_least(acceptor);
        struct arrival arrival;

        if (!may_enter(acceptor, &list->sockets[least].peer))
            return;
        arrival = take(list, least);
        enter(acceptor, &arrival);
    }
}

/* on_closed() loads `is_waiting` after the connection has been taken off the
 * count; here the count is loaded after `is_waiting` has been stored.
 * All four accesses are sequentially consistent, so at least one thread sees
 * the other's store: no close goes unnoticed, and no timer is needed. */
static void admit_all(struct acceptor *acceptor)
{
    admit(acceptor);
    atomic_store(&acceptor->is_waiting, acceptor->waiting.count > 0);
    if (acceptor->waiting.count > 0)
        admit(acceptor);
}

/* Makes room in the list, in the order in which sockets enter: the newest of an
 * address that has more goes. A share is no measure here: an address may be
 * below its own while connections that no longer count for it still fill the
 * port. */
static bool replace(struct acceptor *acceptor, const struct arrival *arrival)
{
    struct wait_list *list = &acceptor->waiting;
    size_t weight = weigh(acceptor, &arrival->peer);

    for (size_t i = list->count; i-- > 0;) {
        if (weigh(acceptor, &list->sockets[i].peer) <= weight)
            continue;
        metrics_count_rejection(&acceptor->metrics, METRICS_CROWD);
        close(take(list, i).fd);
        return append(list, arrival);
    }
    return false;
}

static void add(struct acceptor *acceptor, const struct arrival *arrival)
{
    /* What the kernel holds of a request that waits is not leased. */
    const int size = CONNECTION_COST_RCVBUF;

    if (may_enter(acceptor, &arrival->peer)) {
        enter(acceptor, arrival);
        return;
    }
    if (append(&acceptor->waiting, arrival) || replace(acceptor, arrival)) {
        metrics_count_rejection(&acceptor->metrics, METRICS_CONNECTIONS);
        setsockopt(arrival->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
        admit_all(acceptor);
    } else {
        metrics_count_rejection(&acceptor->metrics, METRICS_CROWD);
        close(arrival->fd);
    }
}

/* True if nothing is gained by accepting now: no more sockets may wait, and all
 * have one address, so that no client waits behind those of another. */
static bool is_closed(struct acceptor *acceptor)
{
    return acceptor->waiting.count == acceptor->waiting.capacity &&
           (!acceptor->profile.counted ||
            address_limit_addresses(&acceptor->service->address_limit) <= 1);
}

static void abort_waiting(struct acceptor *acceptor)
{
    for (size_t i = 0; i < acceptor->waiting.count; i++)
        close(acceptor->waiting.sockets[i].fd);
    free(acceptor->waiting.sockets);
    acceptor->waiting = (struct wait_list){.capacity = 0};
}

static void on_poll(uv_poll_t *poll, int status, int events);

static void watch(struct acceptor *acceptor)
{
    if (acceptor->fd >= 0 && !acceptor->is_short && !acceptor->is_paused)
        uv_poll_start(&acceptor->poll, UV_READABLE, on_poll);
}

static void on_retry(uv_timer_t *timer)
{
    struct acceptor *acceptor = timer->data;

    acceptor->is_short = false;
    watch(acceptor);
    if (acceptor->is_finishing)
        acceptor_finish(acceptor);
}

/* Lets the loops end once the port is closed and no socket waits. */
static void close_if_empty(struct acceptor *acceptor)
{
    if (acceptor->fd < 0 && acceptor->waiting.count == 0)
        atomic_store(&acceptor->is_open, false);
}

static void on_close_notice(uv_async_t *async)
{
    struct acceptor *acceptor = async->data;

    admit_all(acceptor);
    if (acceptor->is_paused && !is_closed(acceptor)) {
        acceptor->is_paused = false;
        watch(acceptor);
    }
    close_if_empty(acceptor);
}

/* Stops accepting until descriptors or memory are freed, which gives no notice:
 * a timer tries again. Logged at most once a second, for a shortage lasts. */
static void wait_for_descriptor(struct acceptor *acceptor, int error)
{
    uint64_t now_ms = uv_now(acceptor->closed.loop);

    metrics_count_rejection(&acceptor->metrics, METRICS_CONNECTIONS);
    acceptor->is_short = true;
    uv_poll_stop(&acceptor->poll);
    uv_timer_start(&acceptor->retry, on_retry, RETRY_MS, 0);
    if (now_ms < acceptor->report_ms)
        return;
    acceptor->report_ms = now_ms + REPORT_MS;
    log_event(acceptor->service->jobs.log, LOG_WARNING,
              "cannot accept connections", {"reason", strerror(error), 0});
}

/* False when no connection is left to accept now. */
static bool accept_one(struct acceptor *acceptor)
{
    struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
    socklen_t len = sizeof(address);
    struct arrival arrival;
    int fd = accept4(acceptor->fd, (struct sockaddr *)&address, &len,
                     SOCK_NONBLOCK | SOCK_CLOEXEC);

    if (fd >= 0) {
        arrival.fd = fd;
        arrival.port = acceptor->profile.port;
        peer_from_address(&arrival.peer, (struct sockaddr *)&address);
        add(acceptor, &arrival);
        return true;
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
        errno == ENOMEM) {
        wait_for_descriptor(acceptor, errno);
        return false;
    }
    /* Of one connection, which has closed already. */
    return errno == ECONNABORTED || errno == EINTR || errno == EPERM;
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct acceptor *acceptor = poll->data;

    (void)status;
    (void)events;
    for (int i = 0; i < BATCH; i++) {
        if (is_closed(acceptor)) {
            acceptor->is_paused = true;
            uv_poll_stop(&acceptor->poll);
            return;
        }
        if (!accept_one(acceptor)) {
            if (acceptor->is_finishing && errno == EAGAIN)
                acceptor_close(acceptor);
            return;
        }
    }
}

/* Of either port of a pair. Any thread. */
static void on_closed(void *context)
{
    struct acceptor *acceptor = context;

    if (atomic_load(&acceptor->is_waiting))
        uv_async_send(&acceptor->closed);
    if (acceptor->other && atomic_load(&acceptor->other->is_waiting))
        uv_async_send(&acceptor->other->closed);
}

bool acceptor_init(struct acceptor *acceptor, struct service *service,
                   const struct listener_profile *profile, uv_loop_t *uv)
{
    *acceptor =
        (struct acceptor){.service = service, .profile = *profile, .fd = -1};
    acceptor->profile.on_closed = on_closed;
    acceptor->profile.on_closed_context = acceptor;
    acceptor->profile.is_open = &acceptor->is_open;
    atomic_store(&acceptor->is_open, true);
    uv_timer_init(uv, &acceptor->retry);
    acceptor->retry.data = acceptor->closed.data = acceptor;
    acceptor->waiting.capacity = profile->waiting;
    acceptor->waiting.sockets =
        calloc(profile->waiting, sizeof(acceptor->waiting.sockets[0]));
    return acceptor->waiting.sockets &&
           uv_async_init(uv, &acceptor->closed, on_close_notice) == 0;
}

bool acceptor_open(struct acceptor *acceptor, enum listen_port port, int given,
                   struct status *st)
{
    struct listen_address *address = &acceptor->address;

    if (given >= 0) {
        if (!listen_adopt(address, given, st))
            return false;
        acceptor->fd = given;
        return true;
    }
    if (!listen_parse(acceptor->service->jobs.options, port, address, st))
        return false;
    acceptor->fd = listen_open(address, st);
    return acceptor->fd >= 0;
}

bool acceptor_start(struct acceptor *acceptor, struct loop *loops, int count,
                    struct status *st)
{
    struct job_context *jobs = &acceptor->service->jobs;
    int error =
        uv_poll_init(acceptor->closed.loop, &acceptor->poll, acceptor->fd);

    if (error != 0)
        return status_fail(st, STATUS_NO_MEMORY,
                           "cannot wait for connections: %s",
                           uv_strerror(error));
    acceptor->loops = loops;
    acceptor->loop_count = count;
    jobs->metrics[jobs->metrics_count++] = &acceptor->metrics;
    acceptor->poll.data = acceptor;
    uv_poll_start(&acceptor->poll, UV_READABLE, on_poll);
    return true;
}

void acceptor_refuse(struct acceptor *acceptor)
{
    if (acceptor->address.is_borrowed)
        acceptor_close(acceptor);
    else if (acceptor->fd >= 0)
        listen_refuse(&acceptor->address, acceptor->fd);
}

void acceptor_finish(struct acceptor *acceptor)
{
    acceptor->is_finishing = true;
    while (acceptor->fd >= 0 && !acceptor->is_short && !acceptor->is_paused)
        on_poll(&acceptor->poll, 0, UV_READABLE);
}

void acceptor_close(struct acceptor *acceptor)
{
    if (acceptor->fd < 0)
        return;
    while (!acceptor->address.is_borrowed && accept_one(acceptor))
        continue;
    uv_timer_stop(&acceptor->retry);
    uv_close((uv_handle_t *)&acceptor->poll, NULL);
    listen_close(&acceptor->address, acceptor->fd);
    acceptor->fd = -1;
    close_if_empty(acceptor);
}

void acceptor_abort(struct acceptor *acceptor)
{
    acceptor_close(acceptor);
    if (acceptor->waiting.count > 0)
        service_note_cut(acceptor->service);
    abort_waiting(acceptor);
    close_if_empty(acceptor);
}

void acceptor_pair(struct acceptor *acceptor, struct acceptor *other)
{
    acceptor->other = other;
    other->other = acceptor;
}

void acceptor_set_phase(struct acceptor *acceptor, enum service_phase phase)
{
    atomic_store(acceptor->profile.phase, phase);
    for (int i = 0; i < acceptor->loop_count; i++)
        loop_wake(&acceptor->loops[i]);
}

void acceptor_free(struct acceptor *acceptor)
{
    REQUIRE(acceptor->fd < 0 || acceptor->loop_count == 0);
    abort_waiting(acceptor);
}
