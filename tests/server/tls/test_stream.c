/* With it read() would be an inline function, and here it is defined. */
#undef _FORTIFY_SOURCE

#include <errno.h>
#include <openssl/err.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "server/socket/transport.h"
#include "server/tls/tls.h"
#include "tests/server/tls/pki.h"
#include "tests/unit.h"

enum { RECORD = 16 << 10, BODY = 3 * RECORD };

static const unsigned char offers[] = "\x2h2";

static struct tls tls;
static struct log quiet;
static struct status st;
static struct socket_layer stream;
static SSL_CTX *client_context;
static SSL *client;
static int near, far;
static char body[BODY], got[BODY];

static int passes = -1;        /* calls of write() that pass; -1: all */
static size_t most = SIZE_MAX; /* bytes that each of them takes */
static int error;              /* of the next one; behind EINTR all pass */

/* OpenSSL sends by it. */
ssize_t write(int fd, const void *data, size_t size)
{
    if (fd != near)
        return syscall(SYS_write, fd, data, size);
    if (passes != 0) {
        passes -= passes > 0;
        return syscall(SYS_write, fd, data, size < most ? size : most);
    }
    errno = error;
    passes -= error == EINTR;
    return -1;
}

static bool reading_fails;
static int reads; /* calls of read() */

/* OpenSSL receives by it. */
ssize_t read(int fd, void *data, size_t size)
{
    reads += fd == near;
    if (fd != near || !reading_fails)
        return syscall(SYS_read, fd, data, size);
    errno = ETIMEDOUT;
    return -1;
}

/* Of another connection of the thread. */
static void leave_error(void)
{
    ERR_raise(ERR_LIB_USER, 1);
}

static void shake_hands(void)
{
    bool served = false, asked = false;

    for (int i = 0; i < 10 && !(served && asked); i++) {
        asked = asked || SSL_connect(client) == 1;
        leave_error();
        served = served || stream.io->handshake(stream.self) == 1;
    }
    ck_assert(served && asked);
    ck_assert_ptr_null(stream.io->fault(stream.self));
}

static void connect_both(void)
{
    int ends[2], bytes = 4 * BODY;

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends),
                     0);
    near = ends[0];
    far = ends[1];
    for (int i = 0; i < 2; i++)
        setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
    for (int i = 0; i < BODY; i++)
        body[i] = (char)(i * 31 + i / 251);
    pki_set_up();
    pki_options.tls_client_ca = NULL;
    log_init(&quiet, -1, LOG_ERROR, false);
    ck_assert_msg(tls_init(&tls, &pki_options, &quiet, &st), "%s", st.message);
    stream = tls_stream_new(&tls, near, TLS_HTTP2);
    ck_assert_ptr_nonnull(stream.io);
    client_context = SSL_CTX_new(TLS_client_method());
    client = SSL_new(client_context);
    SSL_set_alpn_protos(client, offers, sizeof(offers) - 1);
    ck_assert_int_eq(SSL_set_fd(client, far), 1);
    shake_hands();
}

static void close_both(void)
{
    SSL_free(client);
    SSL_CTX_free(client_context);
    stream.io->free(stream.self);
    tls_free(&tls);
    pki_tear_down();
    ck_assert_int_eq(close(near), 0); /* it was borrowed */
}

static void drain(void)
{
    while (recv(far, got, BODY, 0) > 0)
        ;
}

/* A stream before its handshake. */
static void renew(void)
{
    stream.io->free(stream.self);
    stream = tls_stream_new(&tls, near, TLS_HTTP2);
    drain();
}

static ssize_t send_body(void)
{
    struct iovec part = {body, BODY};

    leave_error();
    errno = 0;
    return stream.io->sendv(stream.self, &part, 1, MSG_NOSIGNAL);
}

/* The client gets the first `size` bytes of the body, then nothing. */
static void expect_body(size_t size)
{
    size_t part;

    memset(got, 0, BODY);
    for (size_t all = 0; all < size; all += part) {
        ck_assert_int_eq(SSL_read_ex(client, got + all, BODY - all, &part), 1);
        /* A record is not smaller than it must be. */
        ck_assert_uint_eq(part, size - all < RECORD ? size - all : RECORD);
    }
    ck_assert_mem_eq(got, body, size);
    ck_assert_int_eq(SSL_read_ex(client, got, 1, &part), 0);
    ck_assert_int_eq(SSL_get_error(client, 0), SSL_ERROR_WANT_READ);
}

static const size_t parts[][3] = {
    {1},          {0, 1},           {100, 0, 50},     {RECORD - 1, 2},
    {RECORD, 20}, {RECORD, RECORD}, {10, RECORD, 10}, {BODY - 2, 1, 1}};

/* The part behind them is not theirs. */
LOOP_TEST(parts_are_sent_as_one_text, COUNT(parts))
{
    struct iovec vector[4];
    size_t size = 0;

    for (int i = 0; i < 4; i++) {
        vector[i] = (struct iovec){body + size, i < 3 ? parts[_i][i] : 1};
        size += i < 3 ? parts[_i][i] : 0;
    }
    leave_error();
    ck_assert(stream.io->sendv(stream.self, vector, 3, 0) == (ssize_t)size);
    expect_body(size);
}

UNIT_TEST(a_full_socket_takes_a_part)
{
    const struct iovec rest = {body + RECORD, BODY - RECORD};

    error = EAGAIN;
    passes = 1;
    ck_assert_int_eq(send_body(), RECORD);
    ck_assert_ptr_null(stream.io->fault(stream.self));
    passes = 0;
    ck_assert_int_eq(stream.io->sendv(stream.self, &rest, 1, 0), -1);
    ck_assert_int_eq(errno, EAGAIN);
    passes = -1;
    ck_assert_int_eq(stream.io->sendv(stream.self, &rest, 1, 0), BODY - RECORD);
    expect_body(BODY);
}

/* A part would be waited on: the socket is not full, so nothing ever says that
 * it is writable again. */
UNIT_TEST(a_fault_behind_a_part_is_told_at_once)
{
    error = EPIPE;
    passes = 1;
    ck_assert_int_eq(send_body(), -1);
    ck_assert_int_eq(errno, ECONNRESET);
    ck_assert_str_eq(stream.io->fault(stream.self), "Broken pipe");
    ck_assert(stream.io->has_ended(stream.self, false));
}

/* Else the bytes that were sent would be sent again. */
UNIT_TEST(a_full_socket_takes_a_part_after_a_fault_of_receiving)
{
    reading_fails = true;
    ck_assert(stream.io->has_ended(stream.self, true));
    ck_assert_str_eq(stream.io->fault(stream.self), "Connection timed out");
    reading_fails = false;
    ck_assert_int_eq(SSL_write(client, body, 1), 1);
    ck_assert(stream.io->has_ended(stream.self, true)); /* for good */
    error = EAGAIN;
    passes = 1;
    ck_assert_int_eq(send_body(), RECORD);
}

UNIT_TEST(an_empty_socket_gives_a_part_and_two_records_take_one_call)
{
    ck_assert_int_eq(SSL_write(client, body, 100), 100);
    ck_assert(!stream.io->has_ended(stream.self, true));
    ck_assert_ptr_null(stream.io->fault(stream.self));
    leave_error();
    ck_assert_int_eq(stream.io->recv(stream.self, got, BODY), 100);
    leave_error();
    ck_assert(!stream.io->has_ended(stream.self, true));
    ck_assert_ptr_null(stream.io->fault(stream.self));
    ck_assert_int_eq(stream.io->recv(stream.self, got, BODY), -1);
    ck_assert_int_eq(errno, EAGAIN);
    ck_assert_int_eq(SSL_write(client, body, 2 * RECORD), 2 * RECORD);
    reads = 0;
    ck_assert_int_eq(stream.io->recv(stream.self, got, 2 * RECORD), 2 * RECORD);
    ck_assert_int_eq(reads, 1);
    ck_assert_mem_eq(got, body, 2 * RECORD);
    ck_assert_int_eq(SSL_write(client, body, 100), 100);
    ck_assert_int_eq(SSL_write(client, body + 100, 100), 100);
    memset(got, 0, BODY);
    ck_assert_int_eq(stream.io->recv(stream.self, got, 150), 150);
    ck_assert_mem_eq(got, body, 150);
    ck_assert_int_eq(got[150], 0);
}

UNIT_TEST(a_wrong_record_behind_a_part_is_told_at_once)
{
    ck_assert_int_eq(SSL_write(client, body, 100), 100);
    ck_assert_int_eq(send(far, "not a record", 12, 0), 12);
    ck_assert_int_eq(stream.io->recv(stream.self, got, BODY), -1);
    ck_assert_int_eq(errno, ECONNRESET);
    ck_assert_ptr_nonnull(stream.io->fault(stream.self));
    ck_assert(stream.io->has_ended(stream.self, false));
    drain();
    stream.io->shutdown(stream.self); /* says no end */
    ck_assert_int_eq(recv(far, got, BODY, 0), -1);
}

/* What came before a close_notify is taken. */
UNIT_TEST(an_end_behind_a_part_is_told_afterwards)
{
    ck_assert_int_eq(SSL_write(client, body, 100), 100);
    SSL_shutdown(client);
    errno = 0;
    ck_assert_int_eq(stream.io->recv(stream.self, got, BODY), 100);
    ck_assert(stream.io->has_ended(stream.self, false));
    ck_assert_int_eq(stream.io->recv(stream.self, got, BODY), 0);
    passes = 0;
    error = EPIPE;
    ck_assert_int_eq(send_body(), -1); /* not 0 */
}

/* Clients often say nothing before they go. */
UNIT_TEST(an_end_without_a_word_is_no_fault)
{
    shutdown(far, SHUT_WR);
    ck_assert_int_eq(stream.io->recv(stream.self, got, BODY), 0);
    ck_assert_ptr_null(stream.io->fault(stream.self));
    ck_assert(stream.io->has_ended(stream.self, false));
}

UNIT_TEST(a_client_that_goes_in_the_handshake_has_ended)
{
    renew();
    reading_fails = true;
    ck_assert_int_eq(stream.io->handshake(stream.self), -1);
    ck_assert_str_eq(stream.io->fault(stream.self), "Connection timed out");
    ck_assert(stream.io->has_ended(stream.self, false));
    reading_fails = false;
}

UNIT_TEST(an_end_is_said_once)
{
    leave_error();
    stream.io->shutdown(stream.self);
    ck_assert_int_eq(SSL_read(client, got, 1), 0);
    ck_assert_int_eq(SSL_get_error(client, 0), SSL_ERROR_ZERO_RETURN);
    SSL_shutdown(client);
    stream.io->shutdown(stream.self); /* takes nothing from the socket */
    ck_assert_int_gt(recv(near, got, BODY, 0), 0);
    ck_assert_int_eq(recv(far, got, BODY, 0), -1);
}

/* With a full socket the handshake goes on without a call of the client. */
UNIT_TEST(a_handshake_waits_for_the_socket)
{
    struct tls none = {.lock = PTHREAD_MUTEX_INITIALIZER};

    /* As when there is no memory for a session. */
    ck_assert_ptr_null(tls_stream_new(&none, near, TLS_HTTP1).io);
    renew();
    leave_error();
    ck_assert_int_eq(stream.io->handshake(stream.self), -1);
    ck_assert_int_eq(errno, EAGAIN);
    stream.io->shutdown(stream.self); /* says nothing yet */
    ck_assert_int_eq(recv(far, got, BODY, 0), -1);
    SSL_clear(client);
    SSL_connect(client);
    passes = 0;
    error = EAGAIN;
    ck_assert_int_eq(stream.io->handshake(stream.self), -1);
    ck_assert_int_eq(errno, EINTR);
    ck_assert(!stream.io->has_ended(stream.self, false));
    passes = -1;
    shake_hands();
}

static const struct {
    int passes, error;
    size_t most, replied; /* bytes */
} replies[] = {{-1, 0, SIZE_MAX, SIZE_MAX},
               {-1, 0, 2, SIZE_MAX},
               {0, EINTR, SIZE_MAX, SIZE_MAX},
               {1, EAGAIN, 10, 10}};

LOOP_TEST(plain_http_is_told_of_tls, COUNT(replies))
{
    static const char json[] =
        "{\"error\":\"this port speaks TLS: ask with https\"}";
    char expected[200];
    size_t len = (size_t)snprintf(
        expected, sizeof(expected),
        "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: "
        "application/json\r\nContent-Length: %zu\r\n\r\n%s",
        strlen(json), json);

    renew();
    passes = replies[_i].passes;
    error = replies[_i].error;
    most = replies[_i].most;
    ck_assert_int_eq(send(far, "GET / HTTP/1.1\r\n\r\n", 18, 0), 18);
    ck_assert_int_eq(stream.io->handshake(stream.self), -1);
    ck_assert_int_eq(errno, ECONNRESET);
    ck_assert_str_eq(stream.io->fault(stream.self), "http request");
    ck_assert(!stream.io->has_ended(stream.self, false)); /* more may come */
    len = len < replies[_i].replied ? len : replies[_i].replied;
    ck_assert_uint_eq((size_t)recv(far, got, BODY, 0), len);
    ck_assert_mem_eq(got, expected, len);
}

/* Bytes that OpenSSL holds are a request too, of which the socket has nothing
 * more: a stop of the port must not close its connection. */
UNIT_TEST(the_rest_of_a_record_is_unread)
{
    struct transport transport = {.fd = near, .layer = stream};

    ck_assert(!transport_has_unread(&transport));
    ck_assert_int_eq(SSL_write(client, body, 100), 100);
    ck_assert(transport_has_unread(&transport));
    ck_assert_int_eq(stream.io->recv(stream.self, got, 60), 60);
    ck_assert_int_eq(recv(near, got, 1, MSG_PEEK | MSG_DONTWAIT), -1);
    ck_assert(transport_has_unread(&transport));
    ck_assert_int_eq(stream.io->recv(stream.self, got, 40), 40);
    ck_assert(!transport_has_unread(&transport));
}

FIXTURE(connect_both, close_both)
