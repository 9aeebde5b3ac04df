#include "server/mhd/engine.h"

#include <assert.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/sockios.h>

#include "kernels/core/require.h"
#include "server/mhd/io_adapter.h"

struct engine {
    struct engine_setup setup;
    struct MHD_Daemon *mhd; /* owned */
    struct io_adapter adapter;
    uint64_t progress;    /* adapter.shared.progress when it grew last, */
    unsigned idle_rounds; /* and rounds since that asked for another at once */
    struct engine_connection *adopting; /* being given to libmicrohttpd */
    bool must_run; /* a connection was adopted or resumed */
};

/* At the begin of a slot's state; the owner's follows. */
struct engine_connection {
    struct engine *engine;      /* borrowed, as the next two */
    struct MHD_Connection *mhd; /* from its start to its end; else NULL */
    void *owner;
    bool has_headers; /* the request's were handed on */
    bool is_cut;      /* by engine_hang_up() */
    bool is_reset;    /* by engine_reset() */
    struct io_stack stack;
};

enum { ENGINE_CONNECTION_BYTES = SLOT_STATE - ENGINE_OWNER_BYTES };

static_assert(sizeof(struct engine_connection) <= ENGINE_CONNECTION_BYTES,
              "the owner's memory follows");

void *engine_reserve(struct engine *engine)
{
    unsigned char *state = slots_take(&engine->adapter.slots);

    return state ? state + ENGINE_CONNECTION_BYTES : NULL;
}

struct engine_connection *engine_of(void *owner)
{
    unsigned char *state = (unsigned char *)owner - ENGINE_CONNECTION_BYTES;

    return (struct engine_connection *)(void *)state;
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
    stack->send.shared = &engine->adapter.shared;
    stack->handlers = handlers;
    stack->owner = stack->receive.context = owner;
    stack->receive.target = &handlers->target;
}

static void free_connection(struct engine_connection *connection)
{
    io_adapter_remove(&connection->engine->adapter, &connection->stack);
    transport_free(&connection->stack.transport);
    slots_give(&connection->engine->adapter.slots, connection);
}

/* False, and the socket is closed, without memory. */
static bool add(struct engine *engine, struct engine_connection *connection)
{
    int fd = connection->stack.transport.fd;

    if (!io_adapter_add(&engine->adapter, &connection->stack)) {
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
    return !engine->adopting;
}

void engine_adopt(struct engine *engine, int fd, struct socket_layer layer,
                  void *owner)
{
    struct engine_connection *connection = engine_of(owner);

    init(connection, engine, fd, layer, owner);
    if (add(engine, connection))
        return;
    engine->adopting = NULL;
    engine->setup.handlers->closed(owner, NULL, false);
    free_connection(connection);
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

const char *engine_find_header(void *context, const char *name)
{
    const struct engine_connection *connection = context;

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
    sliced_send_now(&connection->stack.send, connection->stack.transport.fd,
                    data, len);
    io_stack_shutdown(&connection->stack, SHUT_WR);
}

uint64_t engine_sent_body(const struct engine_connection *connection)
{
    return sliced_send_body(&connection->stack.send);
}

const struct transport *
engine_transport(const struct engine_connection *connection)
{
    return &connection->stack.transport;
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

void engine_trim(struct engine_connection *connection, bool idle)
{
    if (idle)
        socket_buffers_narrow(&connection->stack.transport.buffers);
    slots_trim(&connection->engine->adapter.slots, connection);
}

/* Counts behind the socket's queues, which hold up to megabytes. */
uint64_t engine_moved(const struct engine_connection *connection, bool sends)
{
    const struct io_stack *stack = &connection->stack;

    return sends ? stack->send.sent -
                       socket_buffers_queued(stack->transport.fd, SIOCOUTQ)
                 : stack->receive.received +
                       socket_buffers_queued(stack->transport.fd, SIOCINQ);
}

void engine_hang_up(struct engine_connection *connection)
{
    connection->is_cut = true;
    io_stack_report(&connection->stack);
    connection->stack.has_reply = false;
    io_stack_shutdown(&connection->stack, SHUT_RDWR);
}

void engine_reset(struct engine_connection *connection)
{
    connection->is_reset = true;
    socket_reset_at_close(connection->stack.transport.fd);
    engine_hang_up(connection);
}

/* True if the client may send more: what has not been received, or the rest of
 * a request or a handshake that was refused in its middle. */
static bool expects_more(struct engine_connection *connection)
{
    const struct io_stack *stack = &connection->stack;

    return !connection->is_cut &&
           (transport_has_unread(&stack->transport) ||
            ((stack->incomplete || !stack->transport.established) &&
             !engine_has_ended(connection, false)));
}

/* Keeps the socket of a connection that libmicrohttpd closes, by a duplicate of
 * the descriptor, if its client has more to take or to send. */
static bool keep_socket(struct engine_connection *connection, bool drops)
{
    struct transport *transport = &connection->stack.transport;
    int fd;

    if (!drops && !socket_has_unsent(transport->fd)) {
        if (socket_buffers_queued(transport->fd, SIOCOUTQ) > 0)
            socket_leave_to_kernel(transport->fd);
        return false;
    }
    fd = fcntl(transport->fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) {
        if (socket_has_unsent(transport->fd))
            engine_reset(connection);
        return false;
    }
    REQUIRE_WITH(fd != transport->fd, "%d", fd);
    io_adapter_remove(&connection->engine->adapter, &connection->stack);
    transport->fd = transport->buffers.fd = fd;
    return true;
}

static void on_closed(struct engine_connection *connection)
{
    struct engine *engine = connection->engine;
    bool ends = connection->is_reset || engine->adapter.shared.stopping;
    bool drops = !ends && expects_more(connection);
    bool kept = !ends && keep_socket(connection, drops);

    engine->setup.handlers->closed(
        connection->owner, kept ? &connection->stack.transport : NULL, drops);
    free_connection(connection);
}

enum {
    /* Refuse all that RFC 9112 wants refused, be lenient in nothing that
     * changes where a request ends. 2 and 3 refuse what honest clients send. */
    DISCIPLINE = 1,
    RUN_ROUNDS = 16, /* rounds of libmicrohttpd in one engine_run() */
    /* Turns without progress after which libmicrohttpd asked for another at
     * once. After more of them it waits for a millisecond, so that no client
     * can make the loop spin. */
    SPIN_ROUNDS = 1000,
};

__attribute__((format(printf, 2, 0))) static void
on_log(void *context, const char *format, va_list args)
{
    const struct engine *engine = context;
    char text[512];

    vsnprintf(text, sizeof(text), format, args);
    text[strcspn(text, "\n")] = '\0';
    engine->setup.handlers->message(engine->setup.context, text);
}

/* The path stays as it was sent: api/ decodes what it must. */
static size_t keep_escapes(void *context, struct MHD_Connection *mhd,
                           char *text)
{
    (void)context;
    (void)mhd;
    return strlen(text);
}

static struct engine_connection *connection_of(struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info->socket_context;
}

static void on_connection(void *context, struct MHD_Connection *mhd,
                          void **socket_context,
                          enum MHD_ConnectionNotificationCode event)
{
    struct engine *engine = context;
    struct engine_connection *connection = *socket_context;

    if (event == MHD_CONNECTION_NOTIFY_STARTED) {
        connection = engine->adopting;
        REQUIRE(connection && !connection->mhd);
        engine->adopting = NULL;
        connection->mhd = mhd;
        *socket_context = connection;
    } else {
        on_closed(connection);
    }
}

/* A request begins or ends: no reply to it was sent. */
static void forget_reply(struct io_stack *stack)
{
    stack->status = 0;
    stack->has_reply = false;
    stack->send.body_from = 0;
}

static void *on_request_line(void *context, const char *uri,
                             struct MHD_Connection *mhd)
{
    const struct engine *engine = context;
    struct engine_connection *connection = connection_of(mhd);

    connection->has_headers = false;
    io_stack_report(&connection->stack);
    connection->stack.in_request = true;
    forget_reply(&connection->stack);
    engine->setup.handlers->request_line(connection->owner, uri);
    return connection;
}

static bool hand_on_body(struct engine_connection *connection, const char *data,
                         size_t len)
{
    size_t skipped = body_receive_skip(&connection->stack.receive, len);

    if (skipped == len)
        return true;
    return connection->engine->setup.handlers->body(
        connection->owner, data + skipped, len - skipped);
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *mhd,
                                  const char *url, const char *method,
                                  const char *version, const char *data,
                                  size_t *len, void **request_context)
{
    struct engine *engine = context;
    struct engine_connection *connection = *request_context;
    bool goes_on;

    (void)mhd;
    (void)version;
    engine->adapter.shared.progress++;
    if (!connection->has_headers) {
        connection->has_headers = true;
        goes_on =
            engine->setup.handlers->headers(connection->owner, url, method);
    } else if (*len > 0) {
        goes_on = hand_on_body(connection, data, *len);
        *len = 0;
    } else {
        connection->stack.incomplete = false;
        goes_on = engine->setup.handlers->end(connection->owner);
    }
    return goes_on ? MHD_YES : MHD_NO;
}

static void on_completed(void *context, struct MHD_Connection *mhd,
                         void **request_context,
                         enum MHD_RequestTerminationCode how)
{
    const struct engine *engine = context;
    struct engine_connection *connection = *request_context;
    struct io_stack *stack = &connection->stack;

    (void)mhd;
    if (how == MHD_REQUEST_TERMINATED_WITH_ERROR)
        io_stack_break_off(stack);
    sliced_send_stop(&stack->send);
    body_receive_reset(&stack->receive);
    if (stack->receive.received < stack->request_from + SOCKET_BUFFERS_LARGE)
        socket_buffers_narrow_receive(&stack->transport.buffers);
    stack->request_from = stack->receive.received;
    engine->setup.handlers->completed(
        connection->owner, how == MHD_REQUEST_TERMINATED_COMPLETED_OK);
    stack->in_request = false;
    forget_reply(stack);
    if (how == MHD_REQUEST_TERMINATED_COMPLETED_OK && !stack->announced_close &&
        !stack->half_closed)
        stack->completed_round = engine->adapter.shared.rounds;
}

static struct MHD_Daemon *start_daemon(struct engine *engine)
{
    return MHD_start_daemon(
        MHD_USE_NO_LISTEN_SOCKET | MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME |
            MHD_USE_NO_THREAD_SAFETY | MHD_USE_ERROR_LOG,
        0, NULL, NULL, on_request, engine, /* the logger must come first */
        MHD_OPTION_EXTERNAL_LOGGER, on_log, engine,
        MHD_OPTION_CLIENT_DISCIPLINE_LVL, DISCIPLINE,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)SLOT_MEMORY,
        MHD_OPTION_CONNECTION_LIMIT, engine->setup.connection_limit,
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_UNESCAPE_CALLBACK,
        keep_escapes, NULL, MHD_OPTION_URI_LOG_CALLBACK, on_request_line,
        engine, MHD_OPTION_NOTIFY_CONNECTION, on_connection, engine,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, engine, MHD_OPTION_END);
}

struct engine *engine_start(const struct engine_setup *setup)
{
    struct engine *engine = calloc(1, sizeof(*engine));

    if (!engine)
        return NULL;
    engine->setup = *setup;
    engine->adapter.shared.handshake_ns = setup->handshake_ns;
    if (slots_init(&engine->adapter.slots, setup->connection_limit)) {
        engine->mhd = start_daemon(engine);
        if (engine->mhd)
            return engine;
        slots_free(&engine->adapter.slots);
    }
    free(engine);
    return NULL;
}

int engine_fd(const struct engine *engine)
{
    return MHD_get_daemon_info(engine->mhd, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

/* Several rounds cost one wake-up of libuv. The first one asks for new events
 * in any case; others ask for none while a body has unreported bytes: they were
 * 64 system calls for each MiB, 7 % of the processor time of a request of 1
 * MiB. */
void engine_run(struct engine *engine)
{
    uint64_t wait_ms, progress;

    engine->must_run = false;
    engine->adapter.shared.has_unreported = false;
    io_adapter_attach(&engine->adapter);
    for (int i = 0; i < RUN_ROUNDS; i++) {
        progress = engine->adapter.shared.progress;
        engine->adapter.shared.rounds++;
        MHD_run(engine->mhd);
        if (engine->adapter.shared.progress == progress ||
            MHD_get_timeout64(engine->mhd, &wait_ms) != MHD_YES || wait_ms > 0)
            break;
    }
}

int64_t engine_next_run_ms(struct engine *engine)
{
    uint64_t wait_ms;

    if (engine->must_run)
        engine_run(engine);
    if (MHD_get_timeout64(engine->mhd, &wait_ms) != MHD_YES)
        return -1;
    if (wait_ms > 0 || engine->adapter.shared.progress != engine->progress) {
        engine->progress = engine->adapter.shared.progress;
        engine->idle_rounds = 0;
        return (int64_t)wait_ms;
    }
    return ++engine->idle_rounds > SPIN_ROUNDS ? 1 : 0;
}

void engine_stop(struct engine *engine)
{
    engine->adapter.shared.stopping = true;
    io_adapter_attach(&engine->adapter);
    MHD_stop_daemon(engine->mhd);
    io_adapter_attach(NULL);
    free(engine->adapter.stacks);
    slots_free(&engine->adapter.slots);
    free(engine);
}

static_assert(RESPONSE_MAX_PIECES + 1 <= SLICED_SEND_PARTS,
              "a header and all pieces are sent in slices");

struct MHD_Response *response_new(const struct iovec *pieces, size_t count)
{
    struct MHD_IoVec list[RESPONSE_MAX_PIECES];

    for (size_t i = 0; i < count; i++)
        list[i] = (struct MHD_IoVec){pieces[i].iov_base, pieces[i].iov_len};
    return MHD_create_response_from_iovec(list, (unsigned int)count, NULL,
                                          NULL);
}

bool response_add(void *response, const char *name, const char *value)
{
    return MHD_add_response_header(response, name, value) == MHD_YES;
}

bool response_queue(struct MHD_Response *response, size_t len,
                    struct engine_connection *connection, int status)
{
    socket_buffers_send(&connection->stack.transport.buffers, len);
    if (len > SLICED_SEND_BYTES)
        sliced_send_start(&connection->stack.send, len);
    connection->stack.has_reply =
        MHD_queue_response(connection->mhd, (unsigned int)status, response) ==
        MHD_YES;
    return connection->stack.has_reply;
}

void response_free(struct MHD_Response *response)
{
    if (response)
        MHD_destroy_response(response);
}

const char *response_phrase(int status)
{
    return MHD_get_reason_phrase_for((unsigned int)status);
}
