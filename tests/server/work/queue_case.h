/* A queue before one worker, that is, one thread of each lane, and items to
 * push into it. */
#pragma once

#include <check.h>

#include "server/work/queue.h"

enum { ITEMS = 40, WAITING = 30 };
#define MS UINT64_C(1000000)
#define DELAY (100 * MS)

static struct queue queue;
static struct queue_item items[ITEMS];

static void start(uint64_t max_delay_ns, int workers)
{
    const struct queue_settings settings = {.max_waiting = WAITING,
                                            .max_delay_ns = max_delay_ns,
                                            .workers = workers};

    queue_init(&queue, &settings);
}

static void set_up(void)
{
    start(DELAY, 1);
}

static void push(int i, uint32_t address, uint64_t cost, uint64_t now_ns)
{
    items[i] = (struct queue_item){.cost = cost, .address = address};
    queue_push(&queue, &items[i], now_ns);
}

static void run(int i, uint64_t cost)
{
    push(i, 1, cost, 0);
    ck_assert_ptr_eq(queue_take(&queue, queue_lane_of(cost)), &items[i]);
}

/* How long such a request would wait. */
static uint64_t wait_of(uint32_t address, uint64_t cost)
{
    struct queue_item item = {.cost = cost, .address = address};

    queue_check(&queue, &item, true, 0);
    return item.wait_ns;
}
