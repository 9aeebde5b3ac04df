#include "server/net/acceptor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    BATCH = 64, /* connections accepted before other events are handled */
    RETRY_MS = 100,
    REPORT_MS = 1000,
};

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

/* Lets the loops end once the port is closed and nobody waits. */
static void close_if_empty(struct acceptor *acceptor)
{
    if (acceptor->fd < 0 && acceptor->entry.lobby.count == 0)
        atomic_store(&acceptor->is_open, false);
}

static void on_close_notice(uv_async_t *async)
{
    struct acceptor *acceptor = async->data;

    entry_admit(&acceptor->entry);
    if (acceptor->is_paused && !entry_is_closed(&acceptor->entry)) {
        acceptor->is_paused = false;
        watch(acceptor);
    }
    close_if_empty(acceptor);
}

/* Stops accepting. Descriptors are freed without a notice, so a timer tries
 * again. */
static void wait_for_descriptor(struct acceptor *acceptor)
{
    acceptor->is_short = true;
    uv_poll_stop(&acceptor->poll);
    uv_timer_start(&acceptor->retry, on_retry, RETRY_MS, 0);
}

/* True for a failure of accept() that lasts until descriptors or memory are
 * freed. Other failures concern one connection, which is gone already. */
static bool is_shortage(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOBUFS ||
           error == ENOMEM;
}

/* At most once a second, for a shortage lasts. */
static void report_shortage(struct acceptor *acceptor, int error)
{
    uint64_t now_ms = uv_now(acceptor->closed.loop);

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
        entry_add(&acceptor->entry, &arrival);
        return true;
    }
    if (is_shortage(errno)) {
        report_shortage(acceptor, errno);
        metrics_count_rejection(&acceptor->metrics, METRICS_CONNECTIONS);
        wait_for_descriptor(acceptor);
        return false;
    }
    return errno == ECONNABORTED || errno == EINTR || errno == EPERM;
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct acceptor *acceptor = poll->data;

    (void)status;
    (void)events;
    for (int i = 0; i < BATCH; i++) {
        if (entry_is_closed(&acceptor->entry)) {
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

    if (entry_is_waited_for(&acceptor->entry))
        uv_async_send(&acceptor->closed);
    if (acceptor->other && entry_is_waited_for(&acceptor->other->entry))
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
    return entry_init(&acceptor->entry, service, &acceptor->profile,
                      &acceptor->metrics) &&
           uv_async_init(uv, &acceptor->closed, on_close_notice) == 0;
}

bool acceptor_listen(struct acceptor *acceptor, struct status *st)
{
    acceptor->fd = listen_open(&acceptor->address, st);
    return acceptor->fd >= 0;
}

bool acceptor_adopt(struct acceptor *acceptor, int fd, struct status *st)
{
    if (!listen_adopt(&acceptor->address, fd, st))
        return false;
    acceptor->fd = fd;
    return true;
}

bool acceptor_start(struct acceptor *acceptor, struct status *st)
{
    int error =
        uv_poll_init(acceptor->closed.loop, &acceptor->poll, acceptor->fd);

    if (error != 0)
        return status_fail(st, STATUS_NO_MEMORY,
                           "cannot wait for connections: %s",
                           uv_strerror(error));
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
    if (acceptor->entry.lobby.count > 0)
        service_note_cut(acceptor->service);
    entry_abort(&acceptor->entry);
    close_if_empty(acceptor);
}

bool acceptor_start_loops(struct acceptor *acceptor, int first, int count,
                          struct status *st)
{
    struct job_context *jobs = &acceptor->service->jobs;
    struct loop *loops =
        aligned_alloc(_Alignof(struct loop), (size_t)count * sizeof(*loops));

    if (!loops)
        return status_fail(st, STATUS_NO_MEMORY, "no memory to start");
    acceptor->entry.loops = loops;
    for (int i = 0; i < count; i++) {
        if (!loop_start(&loops[i], acceptor->service, &acceptor->profile,
                        first + i, st))
            return false;
        jobs->metrics[jobs->metrics_count++] = &loops[i].context.metrics;
        acceptor->entry.loop_count++;
    }
    jobs->metrics[jobs->metrics_count++] = &acceptor->metrics;
    return true;
}

void acceptor_pair(struct acceptor *acceptor, struct acceptor *other)
{
    acceptor->other = other;
    other->other = acceptor;
}

void acceptor_share_loops(struct acceptor *acceptor)
{
    struct job_context *jobs = &acceptor->service->jobs;

    acceptor->entry.loops = acceptor->other->entry.loops;
    acceptor->entry.loop_count = acceptor->other->entry.loop_count;
    acceptor->borrows_loops = true;
    jobs->metrics[jobs->metrics_count++] = &acceptor->metrics;
}

void acceptor_set_phase(struct acceptor *acceptor, enum service_phase phase)
{
    atomic_store(acceptor->profile.phase, phase);
    for (int i = 0; i < acceptor->entry.loop_count; i++)
        loop_wake(&acceptor->entry.loops[i]);
}

void acceptor_join(struct acceptor *acceptor)
{
    int count = acceptor->borrows_loops ? 0 : acceptor->entry.loop_count;

    for (int i = 0; i < count; i++)
        loop_join(&acceptor->entry.loops[i]);
    if (!acceptor->borrows_loops)
        free(acceptor->entry.loops);
    entry_abort(&acceptor->entry);
}
