/* How connections end.
 *
 * When libmicrohttpd closes one, its client may not have taken all of the last
 * replies yet. A socket that is closed then keeps those bytes, up to megabytes,
 * until the kernel gives up, which takes minutes, and nobody would count them.
 * So the engine keeps a duplicate of the descriptor, and the connection goes on
 * to exist, until the client has acknowledged all but a few bytes or the
 * connection is reset. */
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
    setsockopt(connection->stack.fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
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
    return unsent(connection->stack.fd) > FEW;
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
    io_stack_free_transport(stack);
    stack->fd = stack->buffers.fd = fd;
    io_stack_forget_reply(stack); /* the handler leaving() has seen it */
    shutdown(fd, SHUT_WR);
}

bool engine_leave(struct engine_connection *connection)
{
    struct engine *engine = connection->engine;
    size_t bytes;
    int fd;

    if (connection->is_reset || engine->shared.stopping)
        return false;
    bytes = unsent(connection->stack.fd);
    if (bytes > 0 && bytes <= FEW)
        leave_to_kernel(connection->stack.fd);
    if (bytes <= FEW)
        return false;
    fd = fcntl(connection->stack.fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) {
        engine_reset(connection);
        return false;
    }
    engine->setup.handlers->leaving(connection->owner);
    take_socket(connection, fd);
    TAILQ_INSERT_TAIL(&engine->leaving, connection, link);
    return true;
}

enum {
    MOST_MS = 2000,
    MOST_BYTES = 4 << 20,
    PERIOD_MS = 10,
    STEP = 16 << 10,
    STEPS = 16, /* of one socket in one check */
};

static void close_at(struct linger_list *list, int i)
{
    close(list->sockets[i].fd);
    list->count--;
    for (; i < list->count; i++)
        list->sockets[i] = list->sockets[i + 1];
}

void linger_keep(struct linger_list *list, int fd)
{
    int kept;

    if (list->count == LINGER_SOCKETS)
        close_at(list, 0);
    kept = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (kept < 0)
        return; /* it is reset */
    shutdown(kept, SHUT_WR);
    list->sockets[list->count++] = (struct linger_socket){
        .fd = kept, .until_ms = clock_now_ms() + MOST_MS};
}

/* True when the client has ended, or has sent more than it may. */
static bool is_over(struct linger_socket *socket)
{
    char input[STEP];
    ssize_t got = 1;

    for (int i = 0; i < STEPS && got > 0; i++) {
        got = recv(socket->fd, input, sizeof(input), MSG_DONTWAIT);
        socket->dropped += got > 0 ? (size_t)got : 0;
    }
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR) ||
           socket->dropped > MOST_BYTES;
}

void linger_check(struct linger_list *list)
{
    uint64_t now = list->count > 0 ? clock_now_ms() : 0;

    if (now < list->next_ms)
        return;
    list->next_ms = list->count > 0 ? now + PERIOD_MS : 0;
    for (int i = list->count - 1; i >= 0; i--)
        if (now >= list->sockets[i].until_ms || is_over(&list->sockets[i]))
            close_at(list, i);
}

void linger_close(struct linger_list *list)
{
    while (list->count > 0)
        close_at(list, list->count - 1);
}

void engine_linger(struct engine_connection *connection, int fd)
{
    bool more =
        engine_has_unread(connection) ||
        (connection->stack.is_partial && !engine_has_ended(connection, false));

    if (more && !connection->is_cut)
        linger_keep(&connection->engine->lingering, fd);
}

static void end(struct engine_connection *connection)
{
    struct engine *engine = connection->engine;
    int fd = connection->stack.fd;

    TAILQ_REMOVE(&engine->leaving, connection, link);
    engine_linger(connection, fd);
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
        if (each->is_reset || !engine_has_unsent(each))
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
