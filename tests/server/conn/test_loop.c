
#include "server/conn/loop.h"
#include "tests/unit.h"

static struct arrivals arrivals;

static void push(int fd)
{
    arrivals_push(&arrivals, &(struct arrival){.fd = fd});
}

static int pop(void)
{
    struct arrival arrival;

    return arrivals_pop(&arrivals, &arrival) ? arrival.fd : -1;
}

UNIT_TEST(arrivals_come_out_in_the_order_of_their_coming)
{
    ck_assert(arrivals_init(&arrivals, 3));
    ck_assert_int_eq(pop(), -1);
    for (int fd = 0; fd < 3; fd++)
        push(fd);
    for (int fd = 3; fd < 10; fd++) { /* past the end of the ring */
        ck_assert_int_eq(pop(), fd - 3);
        push(fd);
    }
    for (int fd = 7; fd < 10; fd++)
        ck_assert_int_eq(pop(), fd);
    ck_assert_int_eq(pop(), -1);
    arrivals_free(&arrivals);
}

UNIT_TEST(arrivals_keep_the_peer)
{
    struct arrival in = {.fd = 7, .peer = {.address = {1, 2}, .port = 99}};
    struct arrival out;

    ck_assert(arrivals_init(&arrivals, 1));
    arrivals_push(&arrivals, &in);
    ck_assert(arrivals_pop(&arrivals, &out));
    ck_assert_mem_eq(&out.peer, &in.peer, sizeof(in.peer));
    arrivals_free(&arrivals);
}
