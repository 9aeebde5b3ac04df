/* The rounds of an engine, and what it leaves of a connection that
 * libmicrohttpd closes. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/mhd/engine.h"
#include "tests/server/descriptors.h"
#include "tests/server/socket/tcp_pair.h"
#include "tests/unit.h"

#define REPLY "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"

static struct socket_buffers_setup buffers; /* 0: as they are */
static uint64_t handshake_ns;
static struct engine *engine;
static struct engine_connection *connection;
static int near, far, other;        /* a second client's */
static int kept = -1, closed_count; /* descriptor, or -1: none */
static int opened_count, request_count;
static bool drops;

static void ignore(void *owner)
{
}

static void on_completed(void *owner, bool whole)
{
}

static void on_message(void *context, const char *text)
{
}

static void on_unparsed(void *owner, int status, const char *text,
                        bool head_only)
{
    ck_assert_int_eq(status, 400);
    engine_send_early(connection, REPLY, sizeof(REPLY) - 1);
}

enum { BODY = 4 << 20 };

static void on_request_line(void *owner, const char *uri)
{
    request_count++;
}

static bool on_headers(void *owner, const char *url, const char *method)
{
    if (strcmp(method, "POST") == 0)
        engine_receive_body(connection, BODY);
    return true;
}

static unsigned char *reserve(void *owner, size_t *size)
{
    static unsigned char body[BODY];

    return body;
}

/* While a part of a body is received, another client sends a request. */
static void on_body_received(void *owner, size_t size)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: x\r\n";

    if (request_count == 1)
        ck_assert_int_gt(send(other, request, sizeof(request) - 1, 0), 0);
}

static void on_closed(void *owner, struct transport *rest, bool may_send)
{
    closed_count++;
    kept = rest ? rest->fd : -1;
    drops = may_send;
}

static const struct engine_handlers handlers = {
    .established = ignore,
    .received = ignore,
    .unparsed = on_unparsed,
    .request_line = on_request_line,
    .headers = on_headers,
    .completed = on_completed,
    .closed = on_closed,
    .target = {reserve, on_body_received},
    .message = on_message};

/* As the plain socket, but a call that asks for much of the body gets it. */
static ssize_t receive(void *fd, void *data, size_t size)
{
    return size > 64 << 10 ? (ssize_t)size
                           : plain_socket_io.recv(fd, data, size);
}

static void adopt(int fd, struct socket_layer layer)
{
    void *owner = engine_reserve(engine);

    fcntl(fd, F_SETFL, O_NONBLOCK);
    connection = engine_of(owner);
    engine_adopt(engine, fd, layer, owner);
    opened_count++;
}

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
    engine =
        engine_start(&(struct engine_setup){.handlers = &handlers,
                                            .connection_limit = 4,
                                            .buffers = &buffers,
                                            .handshake_ns = &handshake_ns});
    ck_assert_ptr_nonnull(engine);
    tcp_pair(&near, &far, 4 << 10);
}

static void tear_down(void)
{
    if (engine)
        engine_stop(engine);
    ck_assert_int_eq(closed_count, opened_count);
}

static void adopt_plain(void)
{
    adopt(near, (struct socket_layer){.io = NULL});
}

/* What the client sends; it is received in the next round. */
static void say(const char *text)
{
    ck_assert_int_gt(send(far, text, strlen(text), 0), 0);
}

static void say_in_round(const char *text)
{
    say(text);
    engine_run(engine);
}

/* A request of whose body one byte is received. */
static void begin_body(void)
{
    static const struct socket_io io = {.recv = receive};
    int before = request_count;

    adopt(near, (struct socket_layer){&io, &near});
    say("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4194304\r\n\r\n");
    while (request_count == before)
        engine_run(engine);
    say_in_round("0");
}

UNIT_TEST(events_are_asked_for_in_the_first_round_of_a_run)
{
    int near_other;

    tcp_pair(&near_other, &other, 0);
    adopt(near_other, (struct socket_layer){.io = NULL});
    begin_body();
    ck_assert_int_eq(request_count, 1);
    engine_run(engine);
    ck_assert_int_eq(request_count, 2);
}

/* A request that cannot be read. */
static void ask(void)
{
    say("GET / HTTP/1.1\rX\r\n\r\n");
}

UNIT_TEST(the_socket_of_a_client_that_may_send_is_kept)
{
    char got[sizeof(REPLY)];

    adopt_plain();
    ask();
    run();
    ck_assert_int_ge(kept, 0);
    ck_assert(drops);
    ck_assert_int_ge(recv(far, got, sizeof(got), 0), (int)sizeof(REPLY) - 1);
    ck_assert_int_eq(memcmp(got, REPLY, sizeof(REPLY) - 1), 0);
}

/* Fills the socket with replies that its client has not read. The client's
 * window closes a moment after the first ones. */
static size_t fill(void)
{
    static const char replies[8 << 10];
    int narrow = 64 << 10;
    size_t filled = 0;
    ssize_t sent;

    setsockopt(near, SOL_SOCKET, SO_SNDBUF, &narrow, sizeof(narrow));
    for (int full = 0; full < 3;) {
        sent = send(near, replies, sizeof(replies), MSG_DONTWAIT);
        filled += sent > 0 ? (size_t)sent : 0;
        ck_assert(sent > 0 || errno == EAGAIN);
        full = sent > 0 ? 0 : full + 1;
        usleep(sent > 0 ? 0 : 50000);
    }
    return filled;
}

UNIT_TEST(the_last_reply_is_sent_behind_replies_that_fill_the_socket)
{
    static char got[8 << 20];
    size_t filled, len = 0;
    ssize_t part;

    adopt_plain();
    filled = fill();
    ck_assert_uint_lt(filled + sizeof(REPLY), sizeof(got));
    ask();
    run();
    while ((part = recv(far, got + len, sizeof(got) - len, 0)) > 0)
        len += (size_t)part;
    ck_assert_uint_eq(len, filled + sizeof(REPLY) - 1);
    ck_assert_int_eq(memcmp(got + filled, REPLY, sizeof(REPLY) - 1), 0);
}

/* The kernel would send on for minutes, and nothing would count it. */
UNIT_TEST(one_that_cannot_be_kept_is_reset)
{
    static char got[64 << 10];
    struct rlimit limit;
    ssize_t part;

    adopt_plain();
    fill();
    ask();
    limit = use_up_descriptors();
    run();
    setrlimit(RLIMIT_NOFILE, &limit);
    ck_assert_int_eq(kept, -1);
    do {
        errno = 0;
        part = recv(far, got, sizeof(got), 0);
    } while (part > 0);
    ck_assert_int_eq(errno, ECONNRESET);
}

/* Its client has gone, or it is hung up, or reset. */
LOOP_TEST(that_of_another_connection_is_not, 3)
{
    adopt_plain();
    if (_i == 0) {
        ask();
        shutdown(far, SHUT_RDWR);
    } else if (_i == 1) {
        say_in_round("GET");
        engine_hang_up(connection);
    } else {
        engine_run(engine);
        engine_reset(connection);
    }
    run();
    ck_assert_int_eq(kept, -1);
}

UNIT_TEST(nor_one_that_a_stop_ends)
{
    adopt_plain();
    say_in_round("GET");
    ck_assert_int_eq(closed_count, 0);
    say(" / H"); /* is not received */
    engine_stop(engine);
    engine = NULL;
    ck_assert_int_eq(closed_count, 1);
    ck_assert_int_eq(kept, -1);
    ck_assert(!drops);
}

/* Its request is to be answered. */
UNIT_TEST(a_client_whose_bytes_are_not_all_reported_has_not_gone)
{
    char byte;

    request_count = 1; /* no other client sends */
    begin_body();
    ck_assert_int_eq(recv(near, &byte, 1, 0), 1);
    shutdown(far, SHUT_RDWR);
    ck_assert_int_eq(recv(near, &byte, 1, MSG_PEEK), 0);
    ck_assert(!engine_has_ended(connection, false));
}

static bool has_ended_in(void *self, bool suspended)
{
    return suspended && request_count > 0;
}

/* A layer such as TLS may receive to find out, but only during a suspension;
 * else the end of the socket is the client's. */
UNIT_TEST(a_layer_knows_the_end_of_its_client)
{
    static const struct socket_io io = {.has_ended = has_ended_in};

    adopt(near, (struct socket_layer){&io, &near});
    ck_assert(!engine_has_ended(connection, true));
    shutdown(far, SHUT_WR);
    ck_assert(engine_has_ended(connection, false));
    ck_assert(!engine_has_ended(connection, true)); /* bytes may be in TLS */
    request_count = 1;
    ck_assert(engine_has_ended(connection, true));
    shutdown(far, SHUT_RDWR);
}

/* The loop sleeps until an event, and is not woken for nothing. Of a client of
 * which nothing is unreported the end is seen. */
UNIT_TEST(an_engine_at_rest_asks_for_no_time)
{
    adopt_plain();
    for (int i = 0; i < 10; i++)
        engine_run(engine);
    ck_assert_int_eq(engine_next_run_ms(engine), -1);
    ck_assert(!engine_has_ended(connection, false));
    shutdown(far, SHUT_RDWR);
    ck_assert(engine_has_ended(connection, false));
}

static bool take(void *context, size_t bytes)
{
    return true;
}

static void give(void *context, size_t bytes)
{
}

/* A narrow window would wake the client many times. */
UNIT_TEST(a_large_body_that_is_dropped_has_a_wider_window)
{
    buffers = (struct socket_buffers_setup){
        .receive = 32 << 10, .take = take, .give = give};
    adopt_plain();
    engine_drop_body(connection, SOCKET_BUFFERS_LARGE - 1);
    ck_assert_int_eq(engine_transport(connection)->buffers.receive,
                     SOCKET_BUFFERS_NARROW);
    engine_drop_body(connection, SOCKET_BUFFERS_LARGE);
    ck_assert_int_eq(engine_transport(connection)->buffers.receive,
                     SOCKET_BUFFERS_LIMITED);
}

FIXTURE(set_up, tear_down)
