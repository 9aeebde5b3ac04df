#include "server/mhd/engine_connection.h"

#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/sockios.h>
#include <linux/tcp.h> /* has more of struct tcp_info than netinet/tcp.h */

#include "server/mhd/engine_state.h"

static struct engine_connection *
make(struct engine *engine, int fd, struct socket_layer transport, void *owner)
{
    const struct engine_handlers *handlers = engine->setup.handlers;
    struct engine_connection *connection = calloc(1, sizeof(*connection));
    struct io_stack *stack;

    if (!connection)
        return NULL;
    connection->engine = engine;
    connection->owner = owner;
    stack = &connection->stack;
    io_stack_init(stack, fd, transport, &engine->shared);
    socket_buffers_init(&stack->buffers, fd, &engine->setup.buffers);
    stack->on_established = handlers->established;
    stack->on_refused = handlers->refused;
    stack->on_received = handlers->received;
    stack->context = stack->receive.context = owner;
    stack->receive.target = &handlers->target;
    if (io_adapter_add(&engine->adapter, stack))
        return connection;
    free(connection);
    return NULL;
}

bool engine_adopt(struct engine *engine, int fd, struct socket_layer transport,
                  void *owner)
{
    struct engine_connection *connection = make(engine, fd, transport, owner);

    if (!connection) {
        if (transport.io && transport.io->free)
            transport.io->free(transport.self);
        close(fd);
        return false;
    }
    engine->must_run = true;
    engine->adopting = connection;
    /* It closes the socket when it fails. Whether it has called on_connection()
     * before shows in `adopting`. */
    MHD_add_connection(engine->mhd, fd, NULL, 0);
    if (!engine->adopting)
        return true;
    engine->adopting = NULL;
    engine_connection_free(connection);
    return false;
}

void engine_connection_free(struct engine_connection *connection)
{
    sliced_send_stop(&connection->stack.send);
    socket_buffers_free(&connection->stack.buffers);
    io_adapter_remove(&connection->engine->adapter, &connection->stack);
    io_stack_free_transport(&connection->stack);
    free(connection);
}

struct header_walk {
    engine_header *each;
    void *context;
};

static enum MHD_Result visit(void *context, enum MHD_ValueKind kind,
                             const char *name, size_t name_len,
                             const char *value, size_t value_len)
{
    const struct header_walk *walk = context;

    (void)kind;
    (void)value_len;
    if (value)
        walk->each(walk->context, name, name_len, value);
    return MHD_YES;
}

void engine_each_header(struct engine_connection *connection,
                        engine_header *each, void *context)
{
    struct header_walk walk = {each, context};

    MHD_get_connection_values_n(connection->mhd, MHD_HEADER_KIND, visit, &walk);
}

const char *engine_find_header(struct engine_connection *connection,
                               const char *name)
{
    return MHD_lookup_connection_value(connection->mhd, MHD_HEADER_KIND, name);
}

void engine_receive_body(struct engine_connection *connection, size_t len)
{
    if (connection->engine->setup.fast_paths && len >= BODY_RECEIVE_MIN)
        body_receive_start(&connection->stack.receive, len);
}

void engine_drop_body(struct engine_connection *connection, size_t len)
{
    struct io_stack *stack = &connection->stack;

    if (!connection->engine->setup.fast_paths)
        return;
    if (len >= SOCKET_BUFFERS_LARGE)
        socket_buffers_receive(&stack->buffers, true);
    body_receive_drop(&stack->receive, len);
}

void engine_receive_stop(struct engine_connection *connection)
{
    body_receive_stop(&connection->stack.receive);
}

void engine_suspend(struct engine_connection *connection)
{
    MHD_suspend_connection(connection->mhd);
}

void engine_resume(struct engine_connection *connection)
{
    MHD_resume_connection(connection->mhd);
    connection->engine->must_run = true;
}

void engine_send_early(struct engine_connection *connection, const char *data,
                       size_t len)
{
    io_stack_report(&connection->stack);
    sliced_send_now(&connection->stack.send, data, len);
    io_stack_shutdown(&connection->stack, SHUT_WR);
}

int engine_sent_status(const struct engine_connection *connection)
{
    return connection->stack.status;
}

bool engine_sent_body(const struct engine_connection *connection,
                      uint64_t *bytes)
{
    *bytes = sliced_send_body(&connection->stack.send);
    return connection->engine->setup.fast_paths;
}

bool engine_is_established(const struct engine_connection *connection)
{
    return connection->stack.established;
}

const char *engine_fault(const struct engine_connection *connection)
{
    const struct socket_layer *transport = &connection->stack.transport;

    return transport->io->fault ? transport->io->fault(transport->self) : NULL;
}

/* What recv() finds on the socket, without receiving. */
static ssize_t peek(const struct engine_connection *connection)
{
    char byte;

    return recv(connection->stack.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
}

static bool socket_has_ended(const struct engine_connection *connection)
{
    ssize_t got = peek(connection);

    return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

/* libmicrohttpd calls recv() by itself after a suspension, so during one the
 * transport may receive to find out. */
bool engine_has_ended(struct engine_connection *connection, bool suspended)
{
    const struct socket_layer *transport = &connection->stack.transport;

    if (connection->stack.receive.received_unreported > 0)
        return false; /* libmicrohttpd has not been told of all bytes */
    if (!transport->io->has_ended)
        return socket_has_ended(connection);
    return transport->io->has_ended(transport->self, suspended) ||
           (!suspended && socket_has_ended(connection));
}

bool engine_has_unread(const struct engine_connection *connection)
{
    const struct socket_layer *transport = &connection->stack.transport;

    return peek(connection) > 0 ||
           (transport->io->pending && transport->io->pending(transport->self));
}

void engine_trim(struct engine_connection *connection)
{
    socket_buffers_narrow(&connection->stack.buffers);
    io_stack_trim(&connection->stack);
}

static bool read_tcp_info(const struct engine_connection *connection,
                          struct tcp_info *info)
{
    socklen_t len = sizeof(*info);

    return getsockopt(connection->stack.fd, IPPROTO_TCP, TCP_INFO, info,
                      &len) == 0 &&
           len >= offsetof(struct tcp_info, tcpi_bytes_received) +
                      sizeof(info->tcpi_bytes_received);
}

uint64_t engine_received(const struct engine_connection *connection)
{
    struct tcp_info info;

    return read_tcp_info(connection, &info) ? info.tcpi_bytes_received : 0;
}

/* A socket holds up to megabytes: what the client does shows behind it. */
bool engine_moved(const struct engine_connection *connection, bool sends,
                  uint64_t *bytes)
{
    const struct io_stack *stack = &connection->stack;
    struct tcp_info info;

    if (connection->engine->setup.fast_paths) {
        *bytes = sends ? stack->send.sent -
                             socket_buffers_queued(stack->fd, SIOCOUTQ)
                       : stack->receive.received +
                             socket_buffers_queued(stack->fd, SIOCINQ);
        return true;
    }
    if (!read_tcp_info(connection, &info))
        return false;
    *bytes = sends ? info.tcpi_bytes_acked : info.tcpi_bytes_received;
    return true;
}
