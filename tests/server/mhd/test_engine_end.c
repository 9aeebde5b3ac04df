/* How a connection ends whose client still sends, or has not read its reply. */
#include <check.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/mhd/engine.h"
#include "tests/server/socket/tcp_pair.h"
#include "tests/suite.h"

#define REPLY "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"

enum { ROUNDS = 3000 };

static const struct socket_buffers_setup as_they_are;
static uint64_t handshake_ns;
static struct engine *engine;
static struct engine_connection *connection;
static int near, far;
static int leaving_count, closed_count;
static bool sends; /* of the last call of leaving() */

static void on_opened(void *owner, struct engine_connection *opened)
{
    (void)owner;
    connection = opened;
}

static void ignore(void *owner)
{
    (void)owner;
}

static void on_unparsed(void *owner, int status, const char *text,
                        bool head_only)
{
    (void)owner;
    (void)text;
    (void)head_only;
    ck_assert_int_eq(status, 400);
    engine_send_early(connection, REPLY, sizeof(REPLY) - 1);
}

static void on_leaving(void *owner, bool more)
{
    (void)owner;
    leaving_count++;
    sends = more;
}

static void on_closed(void *owner)
{
    (void)owner;
    closed_count++;
}

static void on_message(void *context, const char *text)
{
    (void)context;
    (void)text;
}

static const struct engine_handlers handlers = {.opened = on_opened,
                                                .established = ignore,
                                                .received = ignore,
                                                .unparsed = on_unparsed,
                                                .leaving = on_leaving,
                                                .closed = on_closed,
                                                .message = on_message};

static void run_some(void)
{
    for (int i = 0; i < 30; i++) {
        engine_run(engine);
        usleep(1000);
    }
}

/* A client whose request cannot be read, and goes on. */
static void set_up(void)
{
    static const char request[] = "GET / HTTP/1.1\rX\r\n\r\n";

    leaving_count = closed_count = 0;
    engine =
        engine_start(&(struct engine_setup){.handlers = &handlers,
                                            .connection_limit = 4,
                                            .buffers = &as_they_are,
                                            .handshake_ns = &handshake_ns});
    ck_assert_ptr_nonnull(engine);
    tcp_pair(&near, &far, 0);
    fcntl(near, F_SETFL, O_NONBLOCK);
    ck_assert(engine_adopt(engine, near, (struct socket_layer){.io = NULL},
                           engine_reserve(engine)));
    ck_assert_int_gt(send(far, request, sizeof(request) - 1, 0), 0);
    run_some();
    ck_assert_int_eq(leaving_count, 1);
    ck_assert(!sends);
}

static void tear_down(void)
{
    engine_stop(engine);
    ck_assert_int_eq(closed_count, 1);
    close(far);
}

static void run_until_closed(void)
{
    for (int i = 0; i < ROUNDS && closed_count == 0; i++) {
        engine_run(engine);
        usleep(1000);
    }
    ck_assert_int_eq(closed_count, 1);
}

START_TEST(the_client_reads_the_reply)
{
    char got[sizeof(REPLY)];

    ck_assert_int_eq(send(far, "surplus", 7, MSG_NOSIGNAL), 7);
    run_some();
    ck_assert_int_eq(recv(far, got, sizeof(got), MSG_WAITALL),
                     sizeof(REPLY) - 1);
    ck_assert_int_eq(memcmp(got, REPLY, sizeof(REPLY) - 1), 0);
    ck_assert_int_eq(send(far, "more", 4, MSG_NOSIGNAL), 4);
    run_some();
    ck_assert_int_eq(closed_count, 0); /* the client has not ended */
    shutdown(far, SHUT_WR);
    run_until_closed();
}
END_TEST

START_TEST(a_client_may_not_send_for_ever)
{
    char surplus[64 << 10] = "";

    for (int i = 0; i < ROUNDS && closed_count == 0; i++) {
        send(far, surplus, sizeof(surplus), MSG_NOSIGNAL | MSG_DONTWAIT);
        engine_run(engine);
        usleep(1000);
    }
    ck_assert_int_eq(closed_count, 1);
}
END_TEST

START_TEST(a_hang_up_ends_it)
{
    engine_hang_up(connection);
    run_until_closed();
}
END_TEST

START_TEST(a_reset_ends_it)
{
    char byte;

    engine_reset(connection);
    run_until_closed();
    while (recv(far, &byte, 1, 0) > 0)
        continue;
}
END_TEST

START_TEST(a_stop_ends_it)
{
    run_some();
    ck_assert_int_eq(closed_count, 0);
}
END_TEST

SUITE_WITH("engine_end", set_up, tear_down, TEST(the_client_reads_the_reply),
           TEST(a_client_may_not_send_for_ever), TEST(a_hang_up_ends_it),
           TEST(a_reset_ends_it), TEST(a_stop_ends_it))
