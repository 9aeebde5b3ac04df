/* With it read() would be an inline function, and here it is defined. */
#undef _FORTIFY_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "server/socket/transport.h"
#include "server/tls/tls.h"
#include "tests/unit.h"

enum { RECORD = 16 << 10, BODY = 3 * RECORD };

/* Without a certificate: both sides agree on a key of nobody. */
static const char ciphers[] = "AECDH-AES256-SHA@SECLEVEL=0";

static struct tls tls;
static struct socket_layer stream;
static SSL_CTX *client_context;
static SSL *client;
static int near, far;
static char body[BODY], got[BODY];

static int passes; /* calls of write() that pass; -1: all */
static int error;  /* of the next one */

/* OpenSSL sends by it. */
ssize_t write(int fd, const void *data, size_t size)
{
    if (fd != near || passes < 0)
        return syscall(SYS_write, fd, data, size);
    if (passes > 0) {
        passes--;
        return syscall(SYS_write, fd, data, size);
    }
    errno = error;
    return -1;
}

static bool reading_fails;

/* OpenSSL receives by it. */
ssize_t read(int fd, void *data, size_t size)
{
    if (fd != near || !reading_fails)
        return syscall(SYS_read, fd, data, size);
    errno = ETIMEDOUT;
    return -1;
}

static SSL_CTX *make_context(const SSL_METHOD *method)
{
    SSL_CTX *context = SSL_CTX_new(method);

    ck_assert_ptr_nonnull(context);
    ck_assert_int_eq(SSL_CTX_set_cipher_list(context, ciphers), 1);
    SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, TLS1_2_VERSION, NULL);
    SSL_CTX_ctrl(context, SSL_CTRL_MODE, /* as in server/tls/context.c */
                 SSL_MODE_ENABLE_PARTIAL_WRITE |
                     SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER,
                 NULL);
    return context;
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

    passes = -1;
    reading_fails = false;
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends),
                     0);
    near = ends[0];
    far = ends[1];
    for (int i = 0; i < 2; i++)
        setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
    tls =
        (struct tls){.on = true, .context = make_context(TLS_server_method())};
    pthread_mutex_init(&tls.lock, NULL);
    stream = tls_stream_new(&tls, near, TLS_HTTP1);
    ck_assert_ptr_nonnull(stream.io);
    client_context = make_context(TLS_client_method());
    client = SSL_new(client_context);
    ck_assert_int_eq(SSL_set_fd(client, far), 1);
    shake_hands();
}

static void close_both(void)
{
    SSL_free(client);
    SSL_CTX_free(client_context);
    stream.io->free(stream.self);
    tls_free(&tls);
    close(near);
    close(far);
}

static ssize_t send_body(void)
{
    struct iovec part = {body, BODY};

    leave_error();
    errno = 0;
    return stream.io->sendv(stream.self, &part, 1, MSG_NOSIGNAL);
}

UNIT_TEST(a_full_socket_takes_a_part)
{
    error = EAGAIN;
    passes = 1;
    ck_assert_int_eq(send_body(), RECORD);
    ck_assert_ptr_null(stream.io->fault(stream.self));
    passes = 0;
    ck_assert_int_eq(send_body(), -1);
    ck_assert_int_eq(errno, EAGAIN);
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
    error = EAGAIN;
    passes = 1;
    ck_assert_int_eq(send_body(), RECORD);
}

UNIT_TEST(an_empty_socket_gives_a_part)
{
    ck_assert_int_eq(SSL_write(client, body, 100), 100);
    leave_error();
    ck_assert_int_eq(stream.io->recv(stream.self, got, BODY), 100);
    leave_error();
    ck_assert(!stream.io->has_ended(stream.self, true));
    ck_assert_ptr_null(stream.io->fault(stream.self));
    ck_assert_int_eq(stream.io->recv(stream.self, got, BODY), -1);
    ck_assert_int_eq(errno, EAGAIN);
}

UNIT_TEST(a_wrong_record_behind_a_part_is_told_at_once)
{
    ck_assert_int_eq(SSL_write(client, body, 100), 100);
    ck_assert_int_eq(send(far, "not a record", 12, 0), 12);
    ck_assert_int_eq(stream.io->recv(stream.self, got, BODY), -1);
    ck_assert_int_eq(errno, ECONNRESET);
    ck_assert_ptr_nonnull(stream.io->fault(stream.self));
}

/* What came before a close_notify is taken. */
UNIT_TEST(an_end_behind_a_part_is_told_afterwards)
{
    ck_assert_int_eq(SSL_write(client, body, 100), 100);
    SSL_shutdown(client);
    ck_assert_int_eq(stream.io->recv(stream.self, got, BODY), 100);
    ck_assert(stream.io->has_ended(stream.self, false));
    ck_assert_int_eq(stream.io->recv(stream.self, got, BODY), 0);
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

static void sign(X509 *cert, EVP_PKEY *key)
{
    ck_assert_int_eq(X509_set_pubkey(cert, key), 1);
    ck_assert_int_gt(X509_sign(cert, key, EVP_sha256()), 0);
}

/* Of any zone: a certificate's times are in UTC. */
LOOP_TEST(the_end_of_a_certificate_is_unix_time, 2)
{
    static const int64_t ends[] = {2000000000, 2010000000};
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *cert = X509_new();

    setenv("TZ", "AAA-5BBB", 1);
    tzset();
    ASN1_TIME_set(X509_getm_notBefore(cert), 0);
    ASN1_TIME_set(X509_getm_notAfter(cert), ends[_i]);
    sign(cert, key);
    ck_assert_int_eq(SSL_CTX_use_certificate(tls.context, cert), 1);
    ck_assert_int_eq(tls_expiry(&tls), ends[_i]);
    X509_free(cert);
    EVP_PKEY_free(key);
}

/* A file that is written again has another time. */
static void set_time(const char *path, time_t seconds)
{
    const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};

    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

UNIT_TEST(a_change_of_each_file_is_seen_once)
{
    char paths[TLS_FILES][40];
    const struct options options = {
        .tls_cert = paths[0], .tls_key = paths[1], .tls_client_ca = paths[2]};

    tls.options = &options;
    for (int i = 0; i < TLS_FILES; i++) {
        strcpy(paths[i], "/tmp/flipd-tls-XXXXXX");
        close(mkstemp(paths[i]));
        set_time(paths[i], 1000);
    }
    ck_assert(tls_has_changed(&tls));
    for (int i = 0; i < TLS_FILES; i++) {
        ck_assert(!tls_has_changed(&tls));
        set_time(paths[i], 1001);
        ck_assert(tls_has_changed(&tls));
    }
    ck_assert(!tls_has_changed(&tls));
    for (int i = 0; i < TLS_FILES; i++)
        unlink(paths[i]);
}

FIXTURE(connect_both, close_both)
