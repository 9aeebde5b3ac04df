#include <assert.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/sockios.h>

#include "server/mhd/engine_state.h"

void *engine_reserve(struct engine *engine)
{
    unsigned char *state = slots_take(&engine->slots);

    return state ? state + ENGINE_CONNECTION_BYTES : NULL;
}

static struct engine_connection *connection_of(void *owner)
{
    unsigned char *state = (unsigned char *)owner - ENGINE_CONNECTION_BYTES;

    return (struct engine_connection *)(void *)state;
}

void engine_discard(struct engine *engine, void *owner)
{
    slots_give(&engine->slots, connection_of(owner));
}

static void init(struct engine_connection *connection, struct engine *engine,
                 int fd, struct socket_layer layer, void *owner)
{
    const struct engine_handlers *handlers = engine->setup.handlers;
    struct io_stack *stack = &connection->stack;

    connection->engine = engine;
    connection->owner = owner;
    transport_open(&stack->transport, fd, layer, engine->setup.buffers);
    stack->receive.below = stack->send.below = &stack->transport.layer;
    stack->receive.shared = stack->send.shared = &engine->shared;
    stack->handlers = handlers;
    stack->owner = stack->receive.context = owner;
    stack->receive.target = &handlers->target;
}

static void clear(struct engine_connection *connection)
{
    sliced_send_stop(&connection->stack.send);
    io_adapter_remove(&connection->engine->adapter, &connection->stack);
    transport_free(&connection->stack.transport);
}

bool engine_adopt(struct engine *engine, int fd, struct socket_layer layer,
                  void *owner)
{
    struct engine_connection *connection = connection_of(owner);

    init(connection, engine, fd, layer, owner);
    if (!io_adapter_add(&engine->adapter, &connection->stack)) {
        clear(connection);
        close(fd);
        return false;
    }
    io_adapter_attach(&engine->adapter);
    engine->must_run = true;
    engine->adopting = connection;
    engine->adapter.adopting = connection;
    /* It closes the socket when it fails. Whether it has called on_connection()
     * before shows in `adopting`. */
    MHD_add_connection(engine->mhd, fd, NULL, 0);
    engine->adapter.adopting = NULL;
    if (!engine->adopting)
        return true;
    engine->adopting = NULL;
    clear(connection);
    return false;
}

void engine_connection_free(struct engine_connection *connection)
{
    clear(connection);
    slots_give(&connection->engine->slots, connection);
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
    if (len >= BODY_RECEIVE_MIN)
        body_receive_start(&connection->stack.receive, len);
}

void engine_drop_body(struct engine_connection *connection, size_t len)
{
    struct io_stack *stack = &connection->stack;

    if (len >= SOCKET_BUFFERS_LARGE)
        socket_buffers_receive(&stack->transport.buffers, true);
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

uint64_t engine_sent_body(const struct engine_connection *connection)
{
    return sliced_send_body(&connection->stack.send);
}

bool engine_is_established(const struct engine_connection *connection)
{
    return connection->stack.transport.established;
}

const char *engine_fault(const struct engine_connection *connection)
{
    const struct socket_layer *layer = &connection->stack.transport.layer;

    return layer->io->fault ? layer->io->fault(layer->self) : NULL;
}

/* libmicrohttpd calls recv() by itself after a suspension, so during one the
 * transport may receive to find out. */
bool engine_has_ended(struct engine_connection *connection, bool suspended)
{
    const struct socket_layer *layer = &connection->stack.transport.layer;

    if (connection->stack.receive.received_unreported > 0)
        return false; /* libmicrohttpd has not been told of all bytes */
    if (!layer->io->has_ended)
        return socket_has_ended(connection->stack.transport.fd);
    return layer->io->has_ended(layer->self, suspended) ||
           (!suspended && socket_has_ended(connection->stack.transport.fd));
}

bool engine_has_unread(const struct engine_connection *connection)
{
    return transport_has_unread(&connection->stack.transport);
}

void engine_trim(struct engine_connection *connection, bool idle)
{
    if (idle)
        socket_buffers_narrow(&connection->stack.transport.buffers);
    slots_trim(&connection->engine->slots, connection);
}

/* A socket holds up to megabytes: what the client does shows behind it. */
uint64_t engine_moved(const struct engine_connection *connection, bool sends)
{
    const struct io_stack *stack = &connection->stack;

    return sends ? stack->send.sent -
                       socket_buffers_queued(stack->transport.fd, SIOCOUTQ)
                 : stack->receive.received +
                       socket_buffers_queued(stack->transport.fd, SIOCINQ);
}

static_assert(RESPONSE_MAX_PIECES + 1 <= SLICED_SEND_PARTS,
              "a header and all pieces are sent in slices");

static struct MHD_Response *from_list(const struct iovec *pieces, size_t count)
{
    struct MHD_IoVec list[RESPONSE_MAX_PIECES];

    for (size_t i = 0; i < count; i++)
        list[i] = (struct MHD_IoVec){pieces[i].iov_base, pieces[i].iov_len};
    return MHD_create_response_from_iovec(list, (unsigned int)count, NULL,
                                          NULL);
}

bool response_init(struct response *response, const struct iovec *pieces,
                   size_t count)
{
    size_t len = 0;

    for (size_t i = 0; i < count; i++)
        len += pieces[i].iov_len;
    response->len = len;
    if (len == 0)
        response->mhd = MHD_create_response_empty(MHD_RF_NONE);
    else if (count == 1)
        response->mhd =
            MHD_create_response_from_buffer_static(len, pieces[0].iov_base);
    else
        response->mhd = from_list(pieces, count);
    return response->mhd != NULL;
}

bool response_add(void *context, const char *name, const char *value)
{
    struct response *response = context;

    return MHD_add_response_header(response->mhd, name, value) == MHD_YES;
}

bool response_queue(const struct response *response,
                    struct engine_connection *connection, int status)
{
    socket_buffers_send(&connection->stack.transport.buffers, response->len);
    if (response->len > SLICED_SEND_BYTES)
        sliced_send_start(&connection->stack.send, response->len);
    connection->stack.has_reply =
        MHD_queue_response(connection->mhd, (unsigned int)status,
                           response->mhd) == MHD_YES;
    return connection->stack.has_reply;
}

void response_free(struct response *response)
{
    if (response->mhd)
        MHD_destroy_response(response->mhd);
}

const char *response_phrase(int status)
{
    return MHD_get_reason_phrase_for((unsigned int)status);
}
