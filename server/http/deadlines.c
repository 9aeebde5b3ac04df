#include "server/http/deadlines.h"

#include "server/http/connection.h"
#include "server/http/loop.h"
#include "server/jobs/clock.h"

static uint64_t timeout_us(const struct exchange *exchange)
{
    const struct job *job = &exchange->job;

    if (exchange->route.id != API_ROUTE_INFER ||
        job->body_coding != CODING_IDENTITY)
        return 0;
    return api_timeout(&job->request);
}

static void unlink_from(struct deadlines *all, struct deadline *deadline)
{
    if (deadline->prev)
        deadline->prev->exchange.deadline.next = deadline->next;
    else
        all->first = deadline->next;
    if (deadline->next)
        deadline->next->exchange.deadline.prev = deadline->prev;
    deadline->at_us = 0;
}

/* A worker may just have taken it, and then sees by itself that it is late. */
static void pass(struct connection *connection)
{
    struct exchange *exchange = &connection->exchange;

    unlink_from(&connection->loop->deadlines, &exchange->deadline);
    exchange->deadline.passed = uv_cancel((uv_req_t *)&exchange->work) == 0;
}

static void arm(struct loop *loop, uint64_t now_us, uint64_t at_us);

static void on_timer(uv_timer_t *timer)
{
    struct loop *loop = timer->data;
    struct connection *next;
    uint64_t now_us = clock_now_us(), nearest_us = UINT64_MAX;

    for (struct connection *each = loop->deadlines.first; each; each = next) {
        uint64_t at_us = each->exchange.deadline.at_us;

        next = each->exchange.deadline.next;
        if (at_us <= now_us)
            pass(each);
        else if (at_us < nearest_us)
            nearest_us = at_us;
    }
    if (loop->deadlines.first)
        arm(loop, now_us, nearest_us);
}

/* libuv counts milliseconds from a clock that it read some time ago. */
static void arm(struct loop *loop, uint64_t now_us, uint64_t at_us)
{
    uint64_t wait_ms = at_us > now_us ? (at_us - now_us + 999) / 1000 : 0;

    uv_update_time(&loop->uv);
    uv_timer_start(&loop->deadlines.timer, on_timer, wait_ms, 0);
}

void deadline_start(struct connection *connection)
{
    struct loop *loop = connection->loop;
    struct deadlines *all = &loop->deadlines;
    struct deadline *deadline = &connection->exchange.deadline;
    uint64_t arrived_us = connection->exchange.job.times.arrived / 1000;
    uint64_t limit_us = timeout_us(&connection->exchange), now_us;

    if (limit_us == 0)
        return;
    now_us = clock_now_us();
    deadline->at_us = arrived_us + limit_us;
    deadline->next = all->first;
    if (all->first)
        all->first->exchange.deadline.prev = connection;
    all->first = connection;
    if (!uv_is_active((uv_handle_t *)&all->timer) ||
        deadline->at_us < now_us + uv_timer_get_due_in(&all->timer) * 1000)
        arm(loop, now_us, deadline->at_us);
}

void deadline_stop(struct connection *connection)
{
    if (connection->exchange.deadline.at_us > 0)
        unlink_from(&connection->loop->deadlines,
                    &connection->exchange.deadline);
}
