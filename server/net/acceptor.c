#include "server/net/acceptor.h"

#include <errno.h>
#include <stdint.h>
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

static bool is_full(const struct acceptor *acceptor)
{
    return open_connections(acceptor) >= acceptor->profile.limit;
}

/* The room that is left near the limit is for addresses below their even share:
 * so there is always some for a client that has few connections. */
static bool may_enter(struct acceptor *acceptor, const struct peer *peer)
{
    return !acceptor->profile.counted ||
           !listener_profile_is_near(&acceptor->profile,
                                     open_connections(acceptor)) ||
           !address_limit_has_share(&acceptor->service->address_limit, peer);
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

/* Lets sockets enter that wait and may, oldest first. */
static void admit(struct acceptor *acceptor)
{
    struct arrivals *list = &acceptor->waiting;
    struct arrival each;

    for (size_t i = list->count; i > 0 && arrivals_pop(list, &each); i--)
        if (!is_full(acceptor) && may_enter(acceptor, &each.peer))
            enter(acceptor, &each);
        else
            arrivals_push(list, &each);
}

/* on_closed() loads `is_waiting` after the connection has been taken off the
 * count; here the count is loaded after `is_waiting` has been stored. All four
 * accesses are sequentially consistent, so at least one thread sees the other's
 * store: no close goes unnoticed, and no timer is needed. */
static void await_close(struct acceptor *acceptor)
{
    atomic_store(&acceptor->is_waiting, true);
    admit(acceptor);
    if (is_full(acceptor))
        uv_poll_stop(&acceptor->poll);
}

static void add(struct acceptor *acceptor, const struct arrival *arrival)
{
    /* What the kernel holds of a request that waits is not leased. */
    const int size = CONNECTION_COST_RCVBUF;

    if (may_enter(acceptor, &arrival->peer)) {
        enter(acceptor, arrival);
    } else if (acceptor->waiting.count < acceptor->waiting.capacity) {
        metrics_count_rejection(&acceptor->metrics, METRICS_CONNECTIONS);
        setsockopt(arrival->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
        arrivals_push(&acceptor->waiting, arrival);
        await_close(acceptor);
    } else {
        metrics_count_rejection(&acceptor->metrics, METRICS_CROWD);
        close(arrival->fd);
    }
}

static void on_poll(uv_poll_t *poll, int status, int events);

/* Lets the loops end once the port is closed and no socket waits. */
static void close_if_empty(struct acceptor *acceptor)
{
    if (acceptor->fd < 0 && acceptor->waiting.count == 0)
        atomic_store(&acceptor->is_open, false);
}

/* Accepts again after a pause. Nothing tells that the kernel's queue is empty:
 * a port that finishes looks itself. */
static void go_on(struct acceptor *acceptor)
{
    if (acceptor->fd >= 0)
        uv_poll_start(&acceptor->poll, UV_READABLE, on_poll);
    if (acceptor->is_finishing)
        acceptor_finish(acceptor);
}

static void on_retry(uv_timer_t *timer)
{
    go_on(timer->data);
}

static void on_close_notice(uv_async_t *async)
{
    struct acceptor *acceptor = async->data;

    atomic_store(&acceptor->is_waiting, false);
    if (acceptor->waiting.count > 0)
        await_close(acceptor);
    go_on(acceptor);
    close_if_empty(acceptor);
}

/* Stops accepting until descriptors or memory are freed, which gives no notice:
 * a timer tries again. Logged at most once a second, for a shortage lasts. */
static void wait_for_descriptor(struct acceptor *acceptor, int error)
{
    uint64_t now_ms = uv_now(acceptor->closed.loop);

    metrics_count_rejection(&acceptor->metrics, METRICS_CONNECTIONS);
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

/* Accepts the connections in the kernel's queue for which there is room, unless
 * the socket is borrowed. */
static void close_port(struct acceptor *acceptor)
{
    if (acceptor->fd < 0)
        return;
    while (!acceptor->address.is_borrowed && !is_full(acceptor) &&
           accept_one(acceptor))
        continue;
    uv_timer_stop(&acceptor->retry);
    uv_close((uv_handle_t *)&acceptor->poll, NULL);
    listen_close(&acceptor->address, acceptor->fd);
    acceptor->fd = -1;
    close_if_empty(acceptor);
}

/* The event says that a connection waits, of which a full port takes note; it
 * says nothing after the first was accepted. */
static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct acceptor *acceptor = poll->data;

    (void)status;
    (void)events;
    if (is_full(acceptor)) {
        metrics_count_rejection(&acceptor->metrics, METRICS_CONNECTIONS);
        await_close(acceptor);
    }
    for (int i = 0; i < BATCH && !is_full(acceptor); i++) {
        if (accept_one(acceptor))
            continue;
        if (acceptor->is_finishing && uv_is_active((uv_handle_t *)poll))
            close_port(acceptor);
        return;
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
    return arrivals_init(&acceptor->waiting, profile->waiting) &&
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
        close_port(acceptor);
    else if (acceptor->fd >= 0)
        listen_refuse(&acceptor->address, acceptor->fd);
}

void acceptor_finish(struct acceptor *acceptor)
{
    acceptor->is_finishing = true;
    while (acceptor->fd >= 0 && uv_is_active((uv_handle_t *)&acceptor->poll))
        on_poll(&acceptor->poll, 0, UV_READABLE);
}

void acceptor_abort(struct acceptor *acceptor)
{
    bool is_paused =
        acceptor->fd >= 0 && !uv_is_active((uv_handle_t *)&acceptor->poll);
    struct arrival arrival;

    close_port(acceptor);
    if (is_paused || acceptor->waiting.count > 0)
        service_note_cut(acceptor->service);
    while (arrivals_pop(&acceptor->waiting, &arrival))
        close(arrival.fd);
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
    REQUIRE(acceptor->waiting.count == 0);
    arrivals_free(&acceptor->waiting);
}
