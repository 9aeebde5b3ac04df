#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/sockios.h>

#include "server/mhd/body_receive.h"
#include "tests/server/socket/tcp_pair.h"
#include "tests/unit.h"

/* These tests call the layer as libmicrohttpd does. */

enum { STEP = 256 << 10, LEN = 2 * STEP + 3000 + 512, ASKED = 16 << 10 };

static struct body_receive near;
static int near_fd, far;
static unsigned char sent[LEN], kept[LEN];
static size_t sent_len, kept_len;
static size_t most = STEP; /* bytes that a call of reserve() gives */
static bool refuses;

static unsigned char *reserve(void *context, size_t *size)
{
    ck_assert_uint_le(kept_len + *size, LEN);
    if (*size > most)
        *size = most;
    return refuses ? NULL : kept + kept_len;
}

static void count(void *context, size_t size)
{
    kept_len += size;
}

static struct socket_layer layer;
static const struct body_target target = {reserve, count};

static void set_up(void)
{
    tcp_pair(&near_fd, &far, 0);
    layer = (struct socket_layer){&plain_socket_io, &near_fd};
    near = (struct body_receive){.below = &layer, .target = &target};
    ck_assert_int_eq(fcntl(near_fd, F_SETFL, O_NONBLOCK), 0);
    for (size_t i = 0; i < LEN; i++)
        sent[i] = (unsigned char)(i * 31 >> 3);
    body_receive_start(&near, LEN);
}

/* Sends, and waits until it has arrived. */
static void send_more(size_t len)
{
    int before = 0, now = 0;

    ck_assert_int_eq(ioctl(near_fd, SIOCINQ, &before), 0);
    ck_assert_int_eq(send(far, sent + sent_len, len, MSG_NOSIGNAL),
                     (ssize_t)len);
    sent_len += len;
    while (now < before + (int)len)
        ck_assert_int_eq(ioctl(near_fd, SIOCINQ, &now), 0);
}

static bool is_readable(void)
{
    struct pollfd poll_in = {.fd = near_fd, .events = POLLIN};

    return poll(&poll_in, 1, 0) == 1;
}

static unsigned char given[2 * ASKED]; /* what receive() found to be real */

/* Receives as libmicrohttpd does when the socket is readable: until a short
 * count tells that it is empty. Returns the bytes that are not in the body
 * already. */
static size_t receive(void)
{
    unsigned char data[ASKED];
    size_t real = 0, skipped;
    ssize_t n = ASKED;

    while (n == ASKED &&
           (n = body_receive_recv(&near, data, sizeof(data))) > 0) {
        skipped = body_receive_skip(&near, (size_t)n);
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

UNIT_TEST(the_socket_is_readable_after_a_whole_step)
{
    send_more(1000);
    ck_assert(is_readable());
    ck_assert_uint_eq(receive(), 0);
    ck_assert_uint_eq(kept_len, 1000);
    send_more(STEP - 1);
    ck_assert(!is_readable());
    send_more(1);
    ck_assert(is_readable());
    ck_assert_uint_eq(receive(), 0);
    ck_assert_uint_eq(kept_len, sent_len);
}

UNIT_TEST(the_socket_is_readable_after_the_rest)
{
    receive_all_but(2);
    send_more(1);
    ck_assert(!is_readable());
    send_more(1);
    ck_assert(is_readable());
    ck_assert_uint_eq(receive(), 0);
    ck_assert_uint_eq(kept_len, LEN);
    ck_assert_mem_eq(kept, sent, LEN);
    sent_len = 0;
    send_more(1); /* of the next request */
    ck_assert(is_readable());
}

/* The last bytes come with the first of the next request; around what
 * libmicrohttpd asks for at a time. */
static const size_t lasts[] = {1, 2, 1000, ASKED - 1, ASKED, ASKED + 1};

LOOP_TEST(bytes_after_the_body_are_handed_on, 36)
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
    ck_assert_uint_eq(kept_len, LEN);
    ck_assert_mem_eq(kept, sent, LEN);
}

UNIT_TEST(counts_are_full_while_bytes_are_unreported)
{
    unsigned char data[ASKED];

    send_more(2 * ASKED + 1000);
    ck_assert_int_eq(body_receive_recv(&near, data, ASKED), ASKED);
    ck_assert_uint_eq(kept_len, sent_len);
    ck_assert_int_eq(body_receive_recv(&near, data, ASKED), ASKED);
    ck_assert_int_eq(body_receive_recv(&near, data, ASKED), 1000);
    ck_assert_int_eq(body_receive_recv(&near, data, ASKED), -1);
    ck_assert_int_eq(errno, EAGAIN);
    body_receive_reset(&near); /* forgets what was reported */
    ck_assert_uint_eq(body_receive_skip(&near, 500), 0);
}

UNIT_TEST(a_refused_body_is_handed_on)
{
    unsigned char data[ASKED];

    send_more(1000);
    ck_assert_uint_eq(receive(), 0);
    refuses = true;
    send_more(500);
    ck_assert_int_eq(body_receive_recv(&near, data, ASKED), 500);
    ck_assert_mem_eq(data, sent + 1000, 500);
    ck_assert_uint_eq(body_receive_skip(&near, 500), 0);
    ck_assert(!near.on);
}

/* What follows the body is handed on. */
UNIT_TEST(a_body_that_nobody_wants_is_dropped)
{
    body_receive_drop(&near, LEN);
    receive_all_but(5000);
    sent_len = 0;
    send_more(5000);
    ck_assert_uint_eq(receive(), 0);
    send_more(700);
    ck_assert_uint_eq(receive(), 700);
    ck_assert_mem_eq(given, sent + 5000, 700);
    ck_assert_uint_eq(kept_len, 0);
    ck_assert_uint_eq(near.received, LEN + 700);
    body_receive_start(&near, LEN); /* the next one is wanted */
    send_more(300);
    ck_assert_uint_eq(receive(), 0);
    ck_assert_mem_eq(kept, sent + 5700, 300);
}

/* TLS has to decrypt all bytes, so it does not drop. */
UNIT_TEST(without_dropping_the_body_is_handed_on)
{
    struct socket_io io = plain_socket_io;

    io.drop = NULL;
    layer.io = &io;
    body_receive_stop(&near);
    body_receive_drop(&near, LEN);
    send_more(1000);
    ck_assert_uint_eq(receive(), 1000);
    ck_assert_mem_eq(given, sent, 1000);
}

/* Part of the body came with the headers. */
UNIT_TEST(bytes_handed_on_before_are_taken_off)
{
    ck_assert_uint_eq(body_receive_skip(&near, LEN - 700), 0);
    send_more(1000);
    ck_assert_uint_eq(receive(), 300);
    ck_assert_uint_eq(kept_len, 700);
    ck_assert_mem_eq(given, sent + 700, 300);
}

/* The body's owner gives memory in pieces; nothing is lost between them. */
UNIT_TEST(a_body_is_received_in_smaller_pieces)
{
    most = 1000;
    receive_all_but(0);
    ck_assert_uint_eq(kept_len, LEN);
    ck_assert_mem_eq(kept, sent, LEN);
}

LOOP_TEST(after_a_stop_every_byte_is_readable_and_the_end_always, 2)
{
    send_more(1000);
    ck_assert_uint_eq(receive(), 0);
    if (_i == 0)
        send_more(1);
    ck_assert(!is_readable());
    if (_i == 0)
        body_receive_stop(&near);
    else
        shutdown(far, SHUT_WR);
    while (!is_readable())
        usleep(1000);
}

FIXTURE(set_up, NULL)
