#include <check.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/mhd/engine_state.h"
#include "tests/server/socket/tcp_pair.h"
#include "tests/suite.h"

static struct linger_list list;
static int near, far;

/* The client has sent what nobody reads; a reply waits to be sent. */
static void reply_and_close(void)
{
    tcp_pair(&near, &far, 0);
    ck_assert_int_eq(send(far, "surplus", 7, MSG_NOSIGNAL), 7);
    ck_assert_int_eq(send(near, "reply", 5, MSG_MORE | MSG_NOSIGNAL), 5);
    linger_keep(&list, near);
    close(near);
}

START_TEST(linger_lets_the_client_read_the_reply)
{
    char got[16];

    reply_and_close();
    ck_assert_int_eq(recv(far, got, sizeof(got), MSG_WAITALL), 5);
    ck_assert_int_eq(memcmp(got, "reply", 5), 0);
    ck_assert_int_eq(send(far, "more", 4, MSG_NOSIGNAL), 4);
    linger_check(&list);
    ck_assert_int_eq(list.count, 1); /* the client has not ended */
    close(far);
    for (int i = 0; i < 30000 && list.count > 0; i++) {
        linger_check(&list);
        usleep(1000);
    }
    ck_assert_int_eq(list.count, 0);
}
END_TEST

START_TEST(linger_ends_after_its_time)
{
    reply_and_close();
    list.sockets[0].until_ms = 0;
    linger_check(&list);
    ck_assert_int_eq(list.count, 0);
    close(far);
}
END_TEST

START_TEST(linger_ends_after_its_bytes)
{
    reply_and_close();
    list.sockets[0].dropped = 4 << 20;
    usleep(1000);
    linger_check(&list);
    ck_assert_int_eq(list.count, 0);
    close(far);
}
END_TEST

START_TEST(linger_closes_the_oldest_for_a_new_one)
{
    int clients[LINGER_SOCKETS + 1];
    char byte;

    for (int i = 0; i <= LINGER_SOCKETS; i++) {
        reply_and_close();
        clients[i] = far;
    }
    ck_assert_int_eq(list.count, LINGER_SOCKETS);
    linger_check(&list);
    ck_assert_int_eq(list.count, LINGER_SOCKETS);
    linger_close(&list);
    ck_assert_int_eq(list.count, 0);
    for (int i = 0; i <= LINGER_SOCKETS; i++) {
        while (recv(clients[i], &byte, 1, 0) > 0)
            continue; /* until the end */
        close(clients[i]);
    }
}
END_TEST

SUITE("linger", TEST(linger_lets_the_client_read_the_reply),
      TEST(linger_ends_after_its_time), TEST(linger_ends_after_its_bytes),
      TEST(linger_closes_the_oldest_for_a_new_one))
