#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/http/loop.h"
#include "server/mhd/fd_map.h"
#include "server/mhd/sliced_send.h"
#include "tests/suite.h"

/* libmicrohttpd's place is taken by these tests, which call what it calls. */

enum { HEAD = 100, BODY = 3 * SLICED_SEND_BYTES + 5000, WHOLE = HEAD + BODY };

static struct loop loop;
static struct connection sender, other;
static int near[2], far[2]; /* of the sender and the other */
static unsigned char *job, *received;
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

static void join(struct connection *connection, int i)
{
    int pair[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    near[i] = pair[0];
    far[i] = pair[1];
    *connection = (struct connection){.loop = &loop, .fd = near[i]};
}

static void set_up(void)
{
    memset(&loop, 0, sizeof(loop));
    join(&sender, 0);
    join(&other, 1);
    job = malloc(WHOLE);
    received = malloc(WHOLE);
    received_count = 0;
    for (size_t i = 0; i < WHOLE; i++)
        job[i] = (unsigned char)(i * 31 >> 3);
}

static void tear_down(void)
{
    for (int i = 0; i < 2; i++) {
        close(near[i]);
        close(far[i]);
    }
    fd_map_end_thread();
    free(job);
    free(received);
}

/* As libmicrohttpd does: head and body in one call, from byte `at` on. */
static ssize_t send_from(const struct connection *connection, size_t at,
                         int flags)
{
    size_t head = at < HEAD ? HEAD - at : 0;
    struct iovec parts[2] = {
        {.iov_base = job + at, .iov_len = head},
        {.iov_base = job + at + head, .iov_len = WHOLE - at - head}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

    return sendmsg(connection->fd, &message, flags | MSG_NOSIGNAL);
}

static void expect_interrupted(ssize_t result, size_t gone)
{
    ck_assert_int_eq(result, -1);
    ck_assert_int_eq(errno, EINTR);
    ck_assert_uint_eq(sender.exchange.gone, gone);
}

START_TEST(outlet_sends_slices_and_tells_the_whole)
{
    sliced_send_start(&sender, WHOLE);
    ck_assert_int_eq(pthread_create(&reader, NULL, read_all, &far[0]), 0);
    for (size_t i = 1; i <= 3; i++)
        expect_interrupted(send_from(&sender, 0, 0), i * SLICED_SEND_BYTES);
    ck_assert_uint_eq(loop.calls, 3);
    ck_assert_int_eq(send_from(&sender, 0, 0), WHOLE);
    pthread_join(reader, NULL);
    ck_assert_uint_eq(received_count, WHOLE);
    ck_assert_mem_eq(received, job, WHOLE);
    ck_assert_ptr_null(loop.sender);
    sliced_send_stop(&sender);
    fd_map_remove(&sender);
}
END_TEST

START_TEST(outlet_slices_plain_send_too)
{
    sliced_send_start(&sender, WHOLE);
    ck_assert_int_eq(pthread_create(&reader, NULL, read_all, &far[0]), 0);
    for (size_t i = 1; i <= 3; i++)
        expect_interrupted(send(sender.fd, job, WHOLE, MSG_NOSIGNAL),
                           i * SLICED_SEND_BYTES);
    ck_assert_int_eq(send(sender.fd, job, WHOLE, MSG_NOSIGNAL), WHOLE);
    pthread_join(reader, NULL);
    ck_assert_mem_eq(received, job, WHOLE);
    fd_map_remove(&sender);
}
END_TEST

START_TEST(outlet_tells_at_once_when_the_socket_is_full)
{
    ssize_t told;

    sliced_send_start(&sender, WHOLE);
    told = send_from(&sender, 0, MSG_DONTWAIT); /* nobody reads */
    ck_assert_int_gt(told, 0);
    ck_assert_int_lt(told, SLICED_SEND_BYTES);
    ck_assert_ptr_null(loop.sender);
    ck_assert_int_eq(send_from(&sender, (size_t)told, MSG_DONTWAIT), -1);
    ck_assert_int_eq(errno, EAGAIN);
    ck_assert_int_eq(recv(far[0], received, (size_t)told, MSG_WAITALL), told);
    ck_assert_mem_eq(received, job, (size_t)told);
    fd_map_remove(&sender);
}
END_TEST

START_TEST(outlet_tells_what_went_before_the_socket_was_full)
{
    while (send(sender.fd, job, 1000, MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
        continue;
    sliced_send_start(&sender, WHOLE);
    sender.exchange.gone = SLICED_SEND_BYTES;
    loop.sender = &sender;
    ck_assert_int_eq(send_from(&sender, 0, MSG_DONTWAIT), SLICED_SEND_BYTES);
    ck_assert_uint_eq(sender.exchange.gone, 0);
    ck_assert_ptr_null(loop.sender);
    fd_map_remove(&sender);
}
END_TEST

START_TEST(outlet_lets_one_large_answer_go_at_a_time)
{
    sliced_send_start(&sender, WHOLE);
    sliced_send_start(&other, WHOLE);
    ck_assert_int_eq(pthread_create(&reader, NULL, read_all, &far[0]), 0);
    expect_interrupted(send_from(&sender, 0, 0), SLICED_SEND_BYTES);
    expect_interrupted(send_from(&other, 0, 0), SLICED_SEND_BYTES);
    ck_assert_uint_eq(other.exchange.gone, 0);
    sliced_send_stop(&other); /* changes nothing */
    ck_assert_ptr_eq(loop.sender, &sender);
    sliced_send_stop(&sender); /* as if it were cut off */
    ck_assert_int_gt(send_from(&other, 0, MSG_DONTWAIT), 0);
    shutdown(near[0], SHUT_RDWR);
    pthread_join(reader, NULL);
    fd_map_remove(&sender);
    fd_map_remove(&other);
}
END_TEST

START_TEST(outlet_leaves_small_answers_alone)
{
    sliced_send_start(&sender, 5000);
    loop.sender = &other;
    ck_assert_int_eq(send(sender.fd, job, 5000, MSG_NOSIGNAL), 5000);
    ck_assert_int_eq(recv(far[0], received, 6000, 0), 5000);
    ck_assert_mem_eq(received, job, 5000);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("outlet");
    TCase *tc = tcase_create("outlet");

    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, outlet_sends_slices_and_tells_the_whole);
    tcase_add_test(tc, outlet_slices_plain_send_too);
    tcase_add_test(tc, outlet_tells_at_once_when_the_socket_is_full);
    tcase_add_test(tc, outlet_tells_what_went_before_the_socket_was_full);
    tcase_add_test(tc, outlet_lets_one_large_answer_go_at_a_time);
    tcase_add_test(tc, outlet_leaves_small_answers_alone);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_run(suite);
}
