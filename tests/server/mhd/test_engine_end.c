/* What an engine leaves of a connection that libmicrohttpd closes. */
#include <check.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/mhd/engine.h"
#include "tests/server/socket/tcp_pair.h"
#include "tests/suite.h"

#define REPLY "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"

static const struct socket_buffers_setup as_they_are;
static uint64_t handshake_ns;
static struct engine *engine;
static struct engine_connection *connection;
static int near, far;
static int kept, closed_count; /* descriptor, or -1: none */
static bool drops;

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

static void on_closed(void *owner, struct transport *rest, bool may_send)
{
    (void)owner;
    closed_count++;
    kept = rest ? rest->fd : -1;
    drops = may_send;
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
                                                .closed = on_closed,
                                                .message = on_message};

static void run(void)
{
    for (int i = 0; i < 3000 && closed_count == 0; i++) {
        engine_run(engine);
        usleep(1000);
    }
    ck_assert_int_eq(closed_count, 1);
}

static void set_up(void)
{
    closed_count = 0;
    kept = -1;
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
}

static void tear_down(void)
{
    engine_stop(engine);
    ck_assert_int_eq(closed_count, 1);
    if (kept >= 0)
        close(kept);
    close(far);
}

/* A request that cannot be read. */
static void ask(void)
{
    static const char request[] = "GET / HTTP/1.1\rX\r\n\r\n";

    ck_assert_int_gt(send(far, request, sizeof(request) - 1, 0), 0);
}

START_TEST(the_socket_of_a_client_that_may_send_is_kept)
{
    char got[sizeof(REPLY)];

    ask();
    run();
    ck_assert_int_ge(kept, 0);
    ck_assert(drops);
    ck_assert_int_ge(recv(far, got, sizeof(got), 0), (int)sizeof(REPLY) - 1);
    ck_assert_int_eq(memcmp(got, REPLY, sizeof(REPLY) - 1), 0);
}
END_TEST

START_TEST(that_of_a_client_that_has_gone_is_not)
{
    ask();
    shutdown(far, SHUT_RDWR);
    run();
    ck_assert_int_eq(kept, -1);
}
END_TEST

START_TEST(nor_that_of_one_that_is_hung_up)
{
    ck_assert_int_gt(send(far, "GET", 3, 0), 0);
    engine_run(engine);
    engine_hang_up(connection);
    run();
    ck_assert_int_eq(kept, -1);
}
END_TEST

START_TEST(nor_one_that_is_reset)
{
    engine_run(engine);
    engine_reset(connection);
    run();
    ck_assert_int_eq(kept, -1);
}
END_TEST

START_TEST(nor_one_that_a_stop_ends)
{
    ck_assert_int_gt(send(far, "GET", 3, 0), 0);
    engine_run(engine);
    ck_assert_int_eq(closed_count, 0);
}
END_TEST

SUITE_WITH("engine_end", set_up, tear_down,
           TEST(the_socket_of_a_client_that_may_send_is_kept),
           TEST(that_of_a_client_that_has_gone_is_not),
           TEST(nor_that_of_one_that_is_hung_up), TEST(nor_one_that_is_reset),
           TEST(nor_one_that_a_stop_ends))
