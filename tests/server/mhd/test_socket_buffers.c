#include <check.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/mhd/socket_buffers.h"
#include "tests/suite.h"

#ifndef SO_BUF_LOCK
#define SO_BUF_LOCK 72
#endif

static const struct socket_buffers_sizes sizes = {40000, 20000};
static const struct socket_buffers_sizes none = {0, 0};
static struct socket_buffers buffers;
static int fd;

static void set_up(void)
{
    fd = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_ge(fd, 0);
}

static void tear_down(void)
{
    close(fd);
}

static int get(int option)
{
    int value = -1;
    socklen_t len = sizeof(value);

    getsockopt(fd, SOL_SOCKET, option, &value, &len);
    return value;
}

static void check_narrow(void)
{
    ck_assert(!buffers.wide);
    ck_assert_int_eq(get(SO_SNDBUF), 80000);
    ck_assert_int_eq(get(SO_RCVBUF), 40000);
}

START_TEST(socket_buffers_are_narrow_at_first)
{
    socket_buffers_init(&buffers, fd, &sizes);
    check_narrow();
}
END_TEST

/* Before Linux 5.14 they have another size, and no locks to ask for. */
START_TEST(socket_buffers_may_grow_for_a_while)
{
    socket_buffers_init(&buffers, fd, &sizes);
    socket_buffers_widen(&buffers);
    ck_assert(buffers.wide);
    if (get(SO_BUF_LOCK) < 0)
        ck_assert_int_gt(get(SO_SNDBUF), 80000);
    else
        ck_assert_int_eq(get(SO_BUF_LOCK), 0);
    socket_buffers_narrow(&buffers);
    check_narrow();
}
END_TEST

START_TEST(socket_buffers_without_sizes_are_left_alone)
{
    int send = get(SO_SNDBUF), receive = get(SO_RCVBUF);

    socket_buffers_init(&buffers, fd, &none);
    socket_buffers_widen(&buffers);
    socket_buffers_narrow(&buffers);
    ck_assert_int_eq(get(SO_SNDBUF), send);
    ck_assert_int_eq(get(SO_RCVBUF), receive);
}
END_TEST

SUITE_WITH("socket_buffers", set_up, tear_down,
           TEST(socket_buffers_are_narrow_at_first),
           TEST(socket_buffers_may_grow_for_a_while),
           TEST(socket_buffers_without_sizes_are_left_alone))
