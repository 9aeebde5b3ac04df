#include "server/conn/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/core/require.h"

enum {
    TICK_MS = 100,
    STOP_TICK_MS = 10, /* while the port stops, so that the loop ends soon */
};

bool arrivals_init(struct arrivals *arrivals, size_t capacity)
{
    *arrivals = (struct arrivals){.capacity = capacity};
    pthread_mutex_init(&arrivals->lock, NULL);
    arrivals->ring = malloc(capacity * sizeof(arrivals->ring[0]));
    return arrivals->ring != NULL;
}

void arrivals_free(struct arrivals *arrivals)
{
    free(arrivals->ring);
    pthread_mutex_destroy(&arrivals->lock);
}

void arrivals_push(struct arrivals *arrivals, const struct arrival *arrival)
{
    size_t last;

    pthread_mutex_lock(&arrivals->lock);
    REQUIRE_WITH(arrivals->count < arrivals->capacity, "%zu", arrivals->count);
    last = (arrivals->first + arrivals->count) % arrivals->capacity;
    arrivals->ring[last] = *arrival;
    arrivals->count++;
    pthread_mutex_unlock(&arrivals->lock);
}

bool arrivals_pop(struct arrivals *arrivals, struct arrival *arrival)
{
    bool found;

    pthread_mutex_lock(&arrivals->lock);
    found = arrivals->count > 0;
    if (found) {
        *arrival = arrivals->ring[arrivals->first];
        arrivals->first = (arrivals->first + 1) % arrivals->capacity;
        arrivals->count--;
    }
    pthread_mutex_unlock(&arrivals->lock);
    return found;
}

static struct loop *loop_of(void *handle)
{
    return ((uv_handle_t *)handle)->data;
}

static bool is_stopping(const struct loop *loop)
{
    return loop_context_phase(&loop->context) >= SERVICE_STOPPING;
}

/* The arrivals for which handshakes leave no time wait for the next tick. */
static void adopt_arrivals(struct loop *loop)
{
    struct arrival arrival;

    while (connection_list_may_adopt(&loop->connections) &&
           arrivals_pop(&loop->arrivals, &arrival))
        connection_list_adopt(&loop->connections, &arrival);
}

static bool may_get_more(const struct loop *loop)
{
    return listener_profile_is_open(loop->context.profile) ||
           listener_profile_is_open(loop_context_grpc(&loop->context));
}

static void check_phase(struct loop *loop)
{
    uv_timer_t *tick = &loop->handles.tick;

    if (!is_stopping(loop))
        return;
    if (uv_timer_get_repeat(tick) != STOP_TICK_MS) {
        uv_timer_set_repeat(tick, STOP_TICK_MS);
        uv_timer_again(tick);
    }
    /* A worker may still have a call whose connection has ended. */
    if (!may_get_more(loop) && atomic_load(&loop->context.open) == 0 &&
        LIST_EMPTY(&loop->context.workers.tasks))
        uv_stop(&loop->uv);
}

static void on_wake(uv_async_t *wake)
{
    struct loop *loop = loop_of(wake);

    adopt_arrivals(loop);
    check_phase(loop);
}

static void on_linger(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    connection_list_drop_input(&loop_of(poll)->connections);
}

static void on_tick(uv_timer_t *tick)
{
    struct loop *loop = loop_of(tick);

    atomic_store(&loop->context.is_alive, true);
    connection_list_check(&loop->connections);
    adopt_arrivals(loop);
    worker_queue_check(&loop->context.workers, &loop->context.service->jobs);
    check_phase(loop);
}

static void run(void *context)
{
    struct loop *loop = context;
    const struct listener_profile *profile = loop->context.profile;

    uv_run(&loop->uv, UV_RUN_DEFAULT);
    profile->on_loop_done(profile->on_loop_done_context);
}

static bool init_handles(struct loop *loop)
{
    struct loop_handles *handles = &loop->handles;

    if (uv_async_init(&loop->uv, &handles->wake, on_wake) != 0 ||
        uv_poll_init(&loop->uv, &handles->linger,
                     loop->connections.linger_fd) != 0)
        return false;
    uv_timer_init(&loop->uv, &handles->tick);
    handles->wake.data = handles->tick.data = handles->linger.data = loop;
    uv_poll_start(&handles->linger, UV_READABLE, on_linger);
    uv_timer_start(&handles->tick, on_tick, TICK_MS, TICK_MS);
    return true;
}

static bool init(struct loop *loop, struct service *service,
                 const struct listener_profile *profile, int index)
{
    *loop = (struct loop){
        .context = {.service = service,
                    .profile = profile,
                    .uv = &loop->uv,
                    .index = index},
    };
    return arrivals_init(&loop->arrivals, profile->limit) &&
           uv_loop_init(&loop->uv) == 0 &&
           connection_list_init(&loop->connections, &loop->context,
                                &loop->uv) &&
           init_handles(loop) &&
           worker_queue_init(&loop->context.workers, &loop->uv,
                             &loop->context.metrics);
}

bool loop_start(struct loop *loop, struct service *service,
                const struct listener_profile *profile, int index,
                struct status *st)
{
    int error;

    errno = ENOMEM; /* if no call sets it */
    if (!init(loop, service, profile, index))
        return status_fail(st, STATUS_NO_MEMORY, "cannot start loop %d: %s",
                           index, strerror(errno));
    error = uv_thread_create(&loop->thread, run, loop);
    return error == 0 || status_fail(st, STATUS_NO_MEMORY,
                                     "cannot start the thread of loop %d: %s",
                                     index, uv_strerror(error));
}

void loop_hand_over(struct loop *loop, const struct arrival *arrival)
{
    atomic_fetch_add(&loop->context.open, 1);
    arrivals_push(&loop->arrivals, arrival);
    uv_async_send(&loop->handles.wake);
}

void loop_wake(struct loop *loop)
{
    uv_async_send(&loop->handles.wake);
}

static void close_handle(uv_handle_t *handle, void *context)
{
    (void)context;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

bool loop_close_uv(uv_loop_t *uv)
{
    uv_walk(uv, close_handle, NULL);
    uv_run(uv, UV_RUN_DEFAULT);
    return uv_loop_close(uv) == 0;
}

void loop_join(struct loop *loop)
{
    uv_thread_join(&loop->thread);
    loop_close_uv(&loop->uv);
    connection_list_free(&loop->connections);
    worker_queue_free(&loop->context.workers);
    arrivals_free(&loop->arrivals);
}
