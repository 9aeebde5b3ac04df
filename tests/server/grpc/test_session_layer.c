/* A session above a layer such as TLS, which may wait for space in the socket,
 * and may have received more than it was asked for. */
#include <errno.h>
#include <string.h>

#include "kernels/core/size.h"
#include "tests/server/grpc/grpc_case.h"
#include "tests/unit.h"

enum { A = 1, LAST = 15 }; /* streams */

/* The layer: `self` is a socket, as that of the plain one. */
static unsigned char held[2 << 20]; /* received, but not asked for yet */
static size_t held_len;
static int handshakes;
static bool fails; /* the handshake */

static ssize_t receive(void *self, void *data, size_t size)
{
    ssize_t got =
        plain_socket_io.recv(self, held + held_len, sizeof(held) - held_len);
    size_t len;

    held_len += got > 0 ? (size_t)got : 0;
    if (held_len == 0)
        return got;
    len = size_min(size, held_len);
    memcpy(data, held, len);
    held_len -= len;
    memmove(held, held + len, held_len);
    return (ssize_t)len;
}

static ssize_t send_parts(void *self, const struct iovec *parts, size_t count,
                          int flags)
{
    return plain_socket_io.sendv(self, parts, count, flags);
}

static bool pending(const void *self)
{
    return held_len > 0;
}

/* The first time there is no space for its bytes, unless it fails. */
static ssize_t shake_hands(void *self)
{
    if (handshakes++ > 0)
        return 1;
    errno = fails ? EPROTO : EINTR;
    return -1;
}

/* A new connection above the layer; its preface is still to be sent. */
static void connect_above(const struct socket_io *io)
{
    struct transport *transport;

    grpc_case_reconnect(false);
    transport = &grpc_case_session()->transport;
    transport->layer = (struct socket_layer){io, &transport->fd};
    transport->established = !io->handshake;
    held_len = 0;
    handshakes = 0;
    frames_open(&grpc_case.frames);
}

/* A client whose handshake fails may read why. */
LOOP_TEST(a_handshake_waits_for_space, 2)
{
    static const struct socket_io io = {
        .recv = receive, .sendv = send_parts, .handshake = shake_hands};

    connect_above(&io);
    fails = _i > 0;
    grpc_case_send();
    ck_assert_int_eq(grpc_case_link(), fails ? CASE_LINGERS : SESSION_SERVES);
    if (fails)
        return;
    grpc_case_expect_service(A);
    ck_assert_int_eq(handshakes, 2);
}

/* More than is received in a round; the socket has only the last byte. */
UNIT_TEST(all_that_the_layer_holds_is_read)
{
    static const struct socket_io io = {
        .recv = receive, .sendv = send_parts, .pending = pending};
    struct frames *frames = &grpc_case.frames;

    connect_above(&io);
    for (uint32_t stream = A; stream <= LAST; stream += 2) {
        grpc_case_headers(stream, CASE_INFER, 0);
        grpc_case_message(stream, CASE_LARGE, true);
        ck_assert_uint_le(frames->len, sizeof(held) - held_len);
        memcpy(held + held_len, frames->data, frames->len);
        held_len += frames->len;
        frames->len = 0;
    }
    held_len--;
    frames_put(frames, held + held_len, 1);
    grpc_case_send();
    grpc_case_wait(1000);
    ck_assert_uint_eq(held_len, 0);
    ck_assert_int_eq(grpc_case_link(), SESSION_SERVES);
    grpc_case_answer();
    for (uint32_t stream = A; stream <= LAST; stream += 2)
        ck_assert_int_ge(grpc_case_code(stream), API_GRPC_OK); /* answered */
}

FIXTURE(grpc_case_start, grpc_case_end)
