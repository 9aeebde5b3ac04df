#include <check.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/sockios.h>

#include "server/http/loop.h"
#include "server/mhd/body_receive.h"
#include "server/mhd/fd_map.h"
#include "tests/suite.h"

/* libmicrohttpd's place is taken by these tests, which call what it calls. */

enum { STEP = 256 << 10, LEN = 2 * STEP + 3000 + 512, ASKED = 16 << 10 };

static struct options options = {.http_max_input_size = LEN};
static struct service service;
static struct loop loop;
static struct connection near;
static int far;
static unsigned char sent[LEN];
static size_t sent_len;

static void connect_over_tcp(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct sockaddr *at = (struct sockaddr *)(void *)&address;
    socklen_t size = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM, 0);

    ck_assert_int_eq(bind(listener, at, size), 0);
    ck_assert_int_eq(listen(listener, 1), 0);
    ck_assert_int_eq(getsockname(listener, at, &size), 0);
    far = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(connect(far, at, size), 0);
    near.fd = accept(listener, NULL, NULL);
    ck_assert_int_ge(near.fd, 0);
    close(listener);
}

static void set_up(void)
{
    service = (struct service){.jobs.options = &options};
    buffer_pool_init(&service.jobs.buffer_pool, 0);
    admission_init(&service.jobs.admission, 4 * LEN, 1);
    loop = (struct loop){.service = &service};
    near = (struct connection){.loop = &loop};
    connect_over_tcp();
    for (size_t i = 0; i < LEN; i++)
        sent[i] = (unsigned char)(i * 31 >> 3);
    sent_len = 0;
    body_announce(&near.exchange.body, &service.jobs, LEN);
    body_receive_start(&near);
}

static void tear_down(void)
{
    body_free(&near.exchange.body, &service.jobs, 0);
    close(near.fd);
    close(far);
    fd_map_end_thread();
    buffer_pool_free(&service.jobs.buffer_pool);
}

/* And waits until it is there. */
static void send_more(size_t len)
{
    int before = 0, now = 0;

    ck_assert_int_eq(ioctl(near.fd, SIOCINQ, &before), 0);
    ck_assert_int_eq(send(far, sent + sent_len, len, MSG_NOSIGNAL),
                     (ssize_t)len);
    sent_len += len;
    while (now < before + (int)len)
        ck_assert_int_eq(ioctl(near.fd, SIOCINQ, &now), 0);
}

static bool speaks_up(void)
{
    struct pollfd poll_in = {.fd = near.fd, .events = POLLIN};

    return poll(&poll_in, 1, 0) == 1;
}

static unsigned char given[2 * ASKED]; /* what receive() found to be real */

/* As libmicrohttpd does, having heard that there is something, until a short
 * count tells that the socket is dry. Returns the bytes that it would take for
 * the body's or for what follows. */
static size_t receive(void)
{
    unsigned char data[ASKED];
    size_t real = 0, skipped;
    ssize_t n = ASKED;

    while (body_receive_has_unreported(&loop)) /* until it asks */
        continue;
    while (n == ASKED &&
           (n = recv(near.fd, data, sizeof(data), MSG_DONTWAIT)) > 0) {
        skipped = body_receive_skip(&near.exchange, (size_t)n);
        ck_assert_uint_le(real + (size_t)n - skipped, sizeof(given));
        memcpy(given + real, data + skipped, (size_t)n - skipped);
        real += (size_t)n - skipped;
    }
    return real;
}

static void receive_all_but(size_t left)
{
    while (LEN - left - sent_len > LEN / 16) { /* sockets do not hold it all */
        send_more(LEN / 16);
        ck_assert_uint_eq(receive(), 0);
    }
    send_more(LEN - sent_len - left);
    receive();
}

START_TEST(intake_is_told_of_whole_steps)
{
    send_more(1000);
    ck_assert(speaks_up());
    ck_assert_uint_eq(receive(), 0);
    ck_assert_uint_eq(near.exchange.body.len, 1000);
    send_more(STEP - 1);
    ck_assert(!speaks_up());
    send_more(1);
    ck_assert(speaks_up());
    ck_assert_uint_eq(receive(), 0);
    ck_assert_uint_eq(near.exchange.body.len, sent_len);
}
END_TEST

START_TEST(intake_is_told_of_the_rest_and_of_what_follows)
{
    receive_all_but(2);
    send_more(1);
    ck_assert(!speaks_up());
    send_more(1);
    ck_assert(speaks_up());
    ck_assert_uint_eq(receive(), 0);
    ck_assert_uint_eq(near.exchange.body.len, LEN);
    ck_assert_mem_eq(near.exchange.body.buffer.data, sent, LEN);
    sent_len = 0;
    send_more(1); /* of the next request */
    ck_assert(speaks_up());
}
END_TEST

/* The last bytes come with the first of the next request; around what
 * libmicrohttpd asks for at a time. */
static const size_t lasts[] = {1, 2, 1000, ASKED - 1, ASKED, ASKED + 1};

START_TEST(intake_gives_back_what_follows)
{
    size_t last = lasts[_i % 6], next = lasts[_i / 6], real = 0;

    receive_all_but(last);
    send_more(last);
    sent_len = 0;
    send_more(next);
    while (real < next) {
        size_t more = receive();

        ck_assert_uint_gt(more, 0);
        ck_assert_mem_eq(given, sent + real, more);
        real += more;
    }
    ck_assert_uint_eq(real, next);
    ck_assert_uint_eq(near.exchange.body.len, LEN);
    ck_assert_mem_eq(near.exchange.body.buffer.data, sent, LEN);
}
END_TEST

START_TEST(intake_tells_what_has_come_before_the_kernel_is_asked_again)
{
    unsigned char data[ASKED];

    send_more(ASKED + 1000);
    ck_assert(body_receive_has_unreported(&loop)); /* for it has just begun */
    ck_assert(!body_receive_has_unreported(&loop));
    ck_assert_int_eq(recv(near.fd, data, ASKED, MSG_DONTWAIT), ASKED);
    ck_assert(body_receive_has_unreported(&loop));
    send_more(500); /* it will be announced */
    ck_assert_int_eq(recv(near.fd, data, ASKED, MSG_DONTWAIT), 1000);
    ck_assert(!body_receive_has_unreported(&loop));
    ck_assert_int_eq(recv(near.fd, data, ASKED, MSG_DONTWAIT), 500);
    ck_assert_uint_eq(near.exchange.body.len, sent_len);
}
END_TEST

START_TEST(intake_lets_the_kernel_be_asked_now_and_then)
{
    unsigned char data[1];
    int turns = 0;

    send_more(1000);
    do
        ck_assert_int_eq(recv(near.fd, data, 1, MSG_DONTWAIT), 1);
    while (body_receive_has_unreported(&loop) && ++turns < 100);
    ck_assert_int_lt(turns, 100);
}
END_TEST

START_TEST(intake_that_stops_hears_of_every_byte)
{
    send_more(1000);
    ck_assert_uint_eq(receive(), 0);
    send_more(1);
    ck_assert(!speaks_up());
    body_receive_stop(&near);
    ck_assert(speaks_up());
}
END_TEST

START_TEST(intake_is_told_of_the_end)
{
    send_more(1000);
    ck_assert_uint_eq(receive(), 0);
    ck_assert(!speaks_up());
    shutdown(far, SHUT_WR);
    while (!speaks_up())
        usleep(1000);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("intake");
    TCase *tc = tcase_create("intake");

    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, intake_is_told_of_whole_steps);
    tcase_add_test(tc, intake_is_told_of_the_rest_and_of_what_follows);
    tcase_add_loop_test(tc, intake_gives_back_what_follows, 0, 36);
    tcase_add_test(tc,
                   intake_tells_what_has_come_before_the_kernel_is_asked_again);
    tcase_add_test(tc, intake_lets_the_kernel_be_asked_now_and_then);
    tcase_add_test(tc, intake_that_stops_hears_of_every_byte);
    tcase_add_test(tc, intake_is_told_of_the_end);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_run(suite);
}
