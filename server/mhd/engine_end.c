/* How connections end.
 *
 * When libmicrohttpd closes one, its client may not have taken all of the last
 * replies yet. A socket that is closed then keeps those bytes, up to megabytes,
 * until the kernel gives up, which takes minutes, and nobody would count them.
 * Or the client may still send, such as after libmicrohttpd's own 400: a socket
 * that is closed on unread bytes is reset, and with it go the replies. So the
 * engine keeps a duplicate of the descriptor, and the connection goes on to
 * exist, until the client has acknowledged all but a few bytes and has ended,
 * or the connection is reset. Meanwhile input is dropped. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/sockios.h>

#include "server/base/clock.h"
#include "server/mhd/engine_state.h"

enum {
    /* Bytes that a closed socket may keep, most replies of refusals among them,
     * and for how long. */
    FEW = 4 << 10,
    FEW_MS = 10000,
};

void engine_hang_up(struct engine_connection *connection)
{
    connection->is_cut = true;
    io_stack_report(&connection->stack);
    connection->stack.has_reply = false;
    io_stack_shutdown(&connection->stack, SHUT_RDWR);
}

void engine_reset(struct engine_connection *connection)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};

    connection->is_reset = true;
    setsockopt(connection->stack.transport.fd, SOL_SOCKET, SO_LINGER, &now,
               sizeof(now));
    engine_hang_up(connection);
}

/* The kernel goes on to count the bytes of a connection that the client has
 * reset. */
static bool is_reset_by_client(int fd)
{
    unsigned char state = TCP_ESTABLISHED; /* the first field of a tcp_info */
    socklen_t len = sizeof(state);

    getsockopt(fd, IPPROTO_TCP, TCP_INFO, &state, &len);
    return state == TCP_CLOSE;
}

/* Bytes that the client has not acknowledged. */
static size_t unsent(int fd)
{
    size_t bytes = socket_buffers_queued(fd, SIOCOUTQ);

    return bytes > 0 && is_reset_by_client(fd) ? 0 : bytes;
}

bool engine_has_unsent(const struct engine_connection *connection)
{
    return unsent(connection->stack.transport.fd) > FEW;
}

/* The kernel goes on with the last few bytes, but not for minutes. It fails on
 * a unix socket, which has nothing to wait for. */
static void leave_to_kernel(int fd)
{
    unsigned ms = FEW_MS;

    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
}

/* libmicrohttpd closes its descriptor, whose number others will have. */
static void take_socket(struct engine_connection *connection, int fd)
{
    struct io_stack *stack = &connection->stack;

    io_adapter_remove(&connection->engine->adapter, stack);
    transport_free_layer(&stack->transport);
    stack->transport.fd = stack->transport.buffers.fd = fd;
    io_stack_forget_reply(stack); /* the handler leaving() has seen it */
    shutdown(fd, SHUT_WR);
}

/* True if the client may send more: what has not been received, or the rest of
 * a request or a handshake that was refused in its middle. */
static bool expects_more(struct engine_connection *connection)
{
    const struct io_stack *stack = &connection->stack;

    return !connection->is_cut &&
           (engine_has_unread(connection) ||
            ((stack->is_partial || !stack->transport.established) &&
             !engine_has_ended(connection, false)));
}

bool engine_leave(struct engine_connection *connection)
{
    struct engine *engine = connection->engine;
    size_t bytes;
    int fd;

    if (connection->is_reset || engine->shared.stopping)
        return false;
    bytes = unsent(connection->stack.transport.fd);
    connection->sends = bytes > FEW;
    connection->drops = expects_more(connection);
    if (bytes > 0 && !connection->sends)
        leave_to_kernel(connection->stack.transport.fd);
    if (!connection->sends && !connection->drops)
        return false;
    fd = fcntl(connection->stack.transport.fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) {
        engine_reset(connection);
        return false;
    }
    engine->setup.handlers->leaving(connection->owner, connection->sends);
    take_socket(connection, fd);
    TAILQ_INSERT_TAIL(&engine->leaving, connection, link);
    return true;
}

enum {
    DROPPED_BYTES = 4 << 20, /* after which the client's end is not awaited */
    STEP = 16 << 10,
    STEPS = 16, /* of one socket in one check */
};

/* Drops what has arrived. False when the client has ended, or has sent more
 * than it may. */
static bool drop_input(struct engine_connection *connection)
{
    char input[STEP];
    ssize_t got = 1;

    for (int i = 0; i < STEPS && got > 0; i++) {
        got = recv(connection->stack.transport.fd, input, sizeof(input),
                   MSG_DONTWAIT);
        connection->dropped += got > 0 ? (size_t)got : 0;
    }
    return got != 0 && (got > 0 || errno == EAGAIN || errno == EINTR) &&
           connection->dropped <= DROPPED_BYTES;
}

/* True if nothing keeps it. */
static bool has_left(struct engine_connection *connection)
{
    bool sent = connection->sends;

    connection->drops = connection->drops && drop_input(connection);
    connection->sends = sent && engine_has_unsent(connection);
    if (sent && !connection->sends && connection->drops)
        connection->engine->setup.handlers->leaving(connection->owner, false);
    return connection->is_reset || (!connection->sends && !connection->drops);
}

static void end(struct engine_connection *connection)
{
    struct engine *engine = connection->engine;
    int fd = connection->stack.transport.fd;

    TAILQ_REMOVE(&engine->leaving, connection, link);
    leave_to_kernel(fd);
    engine->setup.handlers->closed(connection->owner);
    engine_connection_free(connection);
    close(fd);
}

void engine_check_leaving(struct engine *engine)
{
    uint64_t now = TAILQ_EMPTY(&engine->leaving) ? 0 : clock_now_ms();
    struct engine_connection *each, *next;

    if (now < engine->leaving_next_ms)
        return;
    engine->leaving_next_ms = now > 0 ? now + ENGINE_LEAVING_MS : 0;
    for (each = TAILQ_FIRST(&engine->leaving); each; each = next) {
        next = TAILQ_NEXT(each, link);
        if (has_left(each))
            end(each);
    }
}

void engine_reset_leaving(struct engine *engine)
{
    struct engine_connection *each;

    while ((each = TAILQ_FIRST(&engine->leaving))) {
        engine_reset(each);
        end(each);
    }
}
