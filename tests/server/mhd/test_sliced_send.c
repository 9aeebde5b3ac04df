#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>

#include "server/mhd/sliced_send.h"
#include "tests/unit.h"

/* These tests call the layer as libmicrohttpd does. */

enum { HEAD = 100, BODY = 3 * SLICED_SEND_BYTES + 5000, WHOLE = HEAD + BODY };

static struct io_shared shared;
static struct sliced_send sender, other;
static int near[2], far[2]; /* of the sender and the other */
static unsigned char answer[WHOLE], received[WHOLE];
static pthread_t reader;
static size_t received_count;

static void *read_all(void *fd)
{
    ssize_t n = 1;

    while (n > 0 && received_count < WHOLE) {
        n = recv(*(int *)fd, received + received_count, WHOLE - received_count,
                 0);
        received_count += n > 0 ? (size_t)n : 0;
    }
    return NULL;
}

static void *drop_all(void *fd)
{
    char dropped[4096];

    while (recv(*(int *)fd, dropped, sizeof(dropped), 0) > 0)
        continue;
    return NULL;
}

static struct socket_layer layers[2];

static void join(struct sliced_send *send, int i)
{
    int pair[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    near[i] = pair[0];
    far[i] = pair[1];
    layers[i] = (struct socket_layer){&plain_socket_io, &near[i]};
    *send = (struct sliced_send){.below = &layers[i], .shared = &shared};
}

static void set_up(void)
{
    join(&sender, 0);
    join(&other, 1);
    for (size_t i = 0; i < WHOLE; i++)
        answer[i] = (unsigned char)(i * 31 >> 3);
}

static int given_way;

int sched_yield(void)
{
    given_way++;
    return 0;
}

/* As libmicrohttpd does: head and body in one call, from byte `at` on. */
static ssize_t send_from(struct sliced_send *send, size_t at, int flags)
{
    size_t head = at < HEAD ? HEAD - at : 0;
    struct iovec parts[2] = {
        {.iov_base = answer + at, .iov_len = head},
        {.iov_base = answer + at + head, .iov_len = WHOLE - at - head}};

    return sliced_send_sendv(send, parts, 2, flags | MSG_NOSIGNAL);
}

/* Bytes of the first slice of a reply of `len`. */
static size_t first_slice(size_t len)
{
    sender.sent = 0;
    sliced_send_start(&sender, len);
    send_from(&sender, 0, 0);
    sliced_send_stop(&sender);
    return (size_t)sender.sent;
}

static void expect_interrupted(const struct sliced_send *send, ssize_t result,
                               size_t sent)
{
    ck_assert_int_eq(result, -1);
    ck_assert_int_eq(errno, EINTR);
    ck_assert_uint_eq(send->sent_unreported, sent);
}

UNIT_TEST(slices_are_sent_and_the_whole_is_reported)
{
    sliced_send_start(&sender, BODY);
    ck_assert_int_eq(pthread_create(&reader, NULL, read_all, &far[0]), 0);
    for (size_t i = 1; i <= 3; i++)
        expect_interrupted(&sender, send_from(&sender, 0, 0),
                           i * SLICED_SEND_BYTES);
    ck_assert_uint_eq(shared.progress, 3);
    ck_assert_int_eq(send_from(&sender, 0, 0), WHOLE);
    pthread_join(reader, NULL);
    ck_assert_uint_eq(received_count, WHOLE);
    ck_assert_mem_eq(received, answer, WHOLE);
    sliced_send_stop(&sender);
}

UNIT_TEST(very_large_answers_are_sent_in_smaller_slices)
{
    const size_t large = SLICED_SEND_LARGE, small = SLICED_SEND_SMALL_BYTES;

    ck_assert_int_eq(pthread_create(&reader, NULL, read_all, &far[0]), 0);
    ck_assert_uint_eq(first_slice(large - 1), SLICED_SEND_BYTES);
    ck_assert_uint_eq(first_slice(large), small);
    ck_assert_uint_eq(first_slice(large << 8), small);
    shutdown(near[0], SHUT_RDWR);
    pthread_join(reader, NULL);
}

UNIT_TEST(a_full_socket_is_reported_at_once)
{
    ssize_t reported;

    sliced_send_start(&sender, BODY);
    reported = send_from(&sender, 0, MSG_DONTWAIT); /* nobody reads */
    ck_assert_int_gt(reported, 0);
    ck_assert_int_lt(reported, SLICED_SEND_BYTES);
    ck_assert_int_eq(send_from(&sender, (size_t)reported, MSG_DONTWAIT), -1);
    ck_assert_int_eq(errno, EAGAIN);
    ck_assert_int_eq(recv(far[0], received, (size_t)reported, MSG_WAITALL),
                     reported);
    ck_assert_mem_eq(received, answer, (size_t)reported);
}

UNIT_TEST(slices_before_a_full_socket_are_reported)
{
    while (send(near[0], answer, 1000, MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
        continue;
    sliced_send_start(&sender, BODY);
    sender.sent_unreported = SLICED_SEND_BYTES;
    ck_assert_int_eq(send_from(&sender, 0, MSG_DONTWAIT), SLICED_SEND_BYTES);
    ck_assert_uint_eq(sender.sent_unreported, 0);
}

UNIT_TEST(large_answers_take_turns)
{
    pthread_t other_reader;

    sliced_send_start(&sender, BODY);
    sliced_send_start(&other, BODY);
    ck_assert_int_eq(pthread_create(&reader, NULL, drop_all, &far[0]), 0);
    ck_assert_int_eq(pthread_create(&other_reader, NULL, drop_all, &far[1]), 0);
    for (size_t i = 1; i <= 2; i++) {
        expect_interrupted(&sender, send_from(&sender, 0, 0),
                           i * SLICED_SEND_BYTES);
        expect_interrupted(&other, send_from(&other, 0, 0),
                           i * SLICED_SEND_BYTES);
    }
    sliced_send_stop(&sender); /* as if it were cut off */
    expect_interrupted(&other, send_from(&other, 0, 0), 3 * SLICED_SEND_BYTES);
    shutdown(near[0], SHUT_RDWR);
    shutdown(near[1], SHUT_RDWR);
    pthread_join(reader, NULL);
    pthread_join(other_reader, NULL);
}

static ssize_t take_all(void *self, const struct iovec *parts, size_t count,
                        int flags)
{
    ck_assert_uint_eq(count, 1);
    return (ssize_t)parts[0].iov_len;
}

/* Others may run between two slices of a very large reply, and in the second
 * half of one of 8 MiB. */
static const struct {
    size_t len;
    int given_way, slices;
} ways[] = {
    {4 << 20, 0, 4},
    {8 << 20, 4, 8},
    {SLICED_SEND_LARGE, 127, 128},
};

LOOP_TEST(large_answers_give_way, COUNT(ways))
{
    static unsigned char large[SLICED_SEND_LARGE];
    static const struct socket_io io = {.sendv = take_all};
    struct socket_layer layer = {.io = &io};
    struct iovec part = {large, ways[_i].len};
    int slices = 1;

    sender.below = &layer;
    sliced_send_start(&sender, part.iov_len);
    while (sliced_send_sendv(&sender, &part, 1, 0) < 0)
        slices++;
    ck_assert_int_eq(slices, ways[_i].slices);
    ck_assert_int_eq(given_way, ways[_i].given_way);
}

UNIT_TEST(answers_pass_while_it_is_off)
{
    ck_assert_int_eq(send_from(&sender, WHOLE - 5000, 0), 5000);
    ck_assert_int_eq(recv(far[0], received, 6000, 0), 5000);
    ck_assert_mem_eq(received, answer + WHOLE - 5000, 5000);
}

/* Of a connection's second reply too: the bytes of the first stay counted. */
UNIT_TEST(bytes_of_a_body_are_those_of_one_reply)
{
    static const char reply[] = "HTTP/1.1 200 OK\r\n\r\nbody";
    const size_t len = sizeof(reply) - 1;
    struct iovec part = {.iov_base = answer, .iov_len = len};

    memcpy(answer, reply, len);
    for (unsigned i = 1; i <= 3; i++) {
        sliced_send_begin(&sender, reply, len);
        ck_assert_uint_eq(sliced_send_body(&sender), 0);
        ck_assert_int_eq(sliced_send_sendv(&sender, &part, 1, MSG_NOSIGNAL),
                         (ssize_t)len);
        ck_assert_uint_eq(sliced_send_body(&sender), strlen("body"));
        ck_assert_uint_eq(sender.sent, i * len);
    }
}

FIXTURE(set_up, NULL)
