#include "server/http/loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/mhd/engine.h"

enum {
    TICK_MS = 100,
    STOP_TICK_MS = 10, /* when the service stops, to be gone soon */
};

static struct loop *loop_of(void *handle)
{
    return ((uv_handle_t *)handle)->data;
}

enum service_phase loop_phase(const struct loop *loop)
{
    return (enum service_phase)atomic_load(loop->profile->phase);
}

/* Sockets that the acceptor has handed over since the last time. */
static void adopt_arrivals(struct loop *loop)
{
    struct arrival arrival;

    while (arrivals_pop(&loop->arrivals, &arrival)) {
        connection_new(loop, arrival.fd, &arrival.peer);
    }
}

static bool is_finished(struct loop *loop)
{
    return loop_phase(loop) >= SERVICE_STOPPING && !loop->connections &&
           atomic_load(&loop->open) == 0;
}

static void look_at_phase(struct loop *loop)
{
    if (loop_phase(loop) >= SERVICE_STOPPING &&
        uv_timer_get_repeat(&loop->tick) != STOP_TICK_MS) {
        uv_timer_set_repeat(&loop->tick, STOP_TICK_MS);
        uv_timer_again(&loop->tick);
    }
    if (is_finished(loop))
        uv_stop(&loop->uv);
}

static void on_wake(uv_async_t *wake)
{
    struct loop *loop = loop_of(wake);

    adopt_arrivals(loop);
    look_at_phase(loop);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    engine_run(loop_of(poll)->engine);
}

static void on_timeout(uv_timer_t *timer)
{
    engine_run(loop_of(timer)->engine);
}

static void on_tick(uv_timer_t *timer)
{
    struct loop *loop = loop_of(timer);

    connection_check_all(loop);
    worker_queue_check(&loop->workers);
    engine_run(loop->engine);
    look_at_phase(loop);
}

static void on_prepare(uv_prepare_t *prepare)
{
    struct loop *loop = loop_of(prepare);
    int64_t wait_ms = engine_next_run_ms(loop->engine);

    if (wait_ms >= 0)
        uv_timer_start(&loop->timeout, on_timeout, (uint64_t)wait_ms, 0);
    else
        uv_timer_stop(&loop->timeout);
}

static void run(void *context)
{
    struct loop *loop = context;

    engine_attach(loop->engine);
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    engine_stop(loop->engine);
    loop->engine = NULL;
    loop->on_done(loop->on_done_context);
}

static void init_handles(struct loop *loop)
{
    uv_async_init(&loop->uv, &loop->wake, on_wake);
    uv_prepare_init(&loop->uv, &loop->prepare);
    uv_timer_init(&loop->uv, &loop->timeout);
    uv_timer_init(&loop->uv, &loop->tick);
    uv_poll_init(&loop->uv, &loop->poll, engine_fd(loop->engine));
    loop->wake.data = loop->prepare.data = loop->timeout.data =
        loop->tick.data = loop->poll.data = loop;
    worker_queue_init(&loop->workers, &loop->uv, &loop->metrics);
    uv_poll_start(&loop->poll, UV_READABLE, on_poll);
    uv_prepare_start(&loop->prepare, on_prepare);
    uv_timer_start(&loop->tick, on_tick, TICK_MS, TICK_MS);
}

static void on_message(void *context, const char *text)
{
    log_message(context, LOG_DEBUG, text);
}

static struct engine *start_engine(struct loop *loop)
{
    static const struct engine_handlers handlers = {
        .opened = connection_on_open,
        .established = connection_on_established,
        .refused = connection_on_refused,
        .request_line = exchange_on_request_line,
        .headers = exchange_on_headers,
        .body = exchange_on_body,
        .end = exchange_on_end,
        .completed = exchange_on_completed,
        .closed = connection_on_close,
        .target = {exchange_body_reserve, exchange_body_received},
        .message = on_message,
    };
    const struct engine_setup setup = {
        .handlers = &handlers,
        .context = loop->service->jobs.log,
        .connection_limit = (unsigned)loop->profile->limit,
        .short_cuts = loop->service->io_mode == IO_ADAPTER,
    };

    return engine_start(&setup);
}

bool loop_start(struct loop *loop, const struct loop_setup *setup,
                struct status *st)
{
    *loop = (struct loop){.service = setup->service,
                          .profile = setup->profile,
                          .index = setup->index,
                          .on_done = setup->on_done,
                          .on_done_context = setup->on_done_context};
    if (arrivals_init(&loop->arrivals, loop->profile->limit))
        loop->engine = start_engine(loop);
    if (!loop->engine || uv_loop_init(&loop->uv) != 0)
        return status_fail(st, STATUS_NO_MEMORY, "cannot start loop %d",
                           loop->index);
    init_handles(loop);
    if (uv_thread_create(&loop->thread, run, loop) != 0)
        return status_fail(st, STATUS_NO_MEMORY,
                           "cannot start the thread of loop %d", loop->index);
    return true;
}

void loop_hand_over(struct loop *loop, const struct arrival *arrival)
{
    atomic_fetch_add(&loop->open, 1);
    arrivals_push(&loop->arrivals, arrival);
    uv_async_send(&loop->wake);
}

void loop_wake(struct loop *loop)
{
    uv_async_send(&loop->wake);
}

static void close_handle(uv_handle_t *handle, void *context)
{
    (void)context;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

void loop_join(struct loop *loop)
{
    uv_thread_join(&loop->thread);
    uv_walk(&loop->uv, close_handle, NULL);
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    uv_loop_close(&loop->uv);
    arrivals_free(&loop->arrivals);
}
