#include "server/mhd/engine.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/sockios.h>

#include "kernels/core/require.h"
#include "server/base/clock.h"
#include "server/mhd/io_adapter.h"

struct engine {
    struct engine_setup setup;
    struct MHD_Daemon *mhd; /* owned */
    struct slots slots;     /* of its connections */
    struct io_adapter adapter;
    struct io_shared shared;
    TAILQ_HEAD(, engine_connection) leaving; /* owned */
    uint64_t leaving_next_ms; /* when those are looked at again */
    uint64_t progress;        /* shared.progress when it grew last, */
    unsigned idle_turns; /* and turns since that asked for another at once */
    struct engine_connection *adopting; /* being given to libmicrohttpd */
    bool must_run; /* a connection was adopted or resumed */
};

/* At the begin of a slot's state; the owner's follows. */
struct engine_connection {
    struct engine *engine;      /* borrowed, as the next two */
    struct MHD_Connection *mhd; /* until it is closed; NULL until opened() */
    void *owner;
    bool has_headers;                    /* the request's were handed on */
    bool is_cut;                         /* by engine_hang_up() */
    bool is_reset;                       /* by engine_reset() */
    TAILQ_ENTRY(engine_connection) link; /* of engine.leaving */
    bool sends;     /* it is there, for the client has more to take */
    bool drops;     /* the same, more to send */
    size_t dropped; /* bytes */
    struct io_stack stack;
};

enum { ENGINE_CONNECTION_BYTES = SLOT_STATE - ENGINE_OWNER_BYTES };

static_assert(sizeof(struct engine_connection) <= ENGINE_CONNECTION_BYTES,
              "the owner's memory follows");

enum { LEAVING_MS = 10 }; /* between two looks at those that leave */

void *engine_reserve(struct engine *engine)
{
    unsigned char *state = slots_take(&engine->slots);

    return state ? state + ENGINE_CONNECTION_BYTES : NULL;
}

static struct engine_connection *connection_of_owner(void *owner)
{
    unsigned char *state = (unsigned char *)owner - ENGINE_CONNECTION_BYTES;

    return (struct engine_connection *)(void *)state;
}

void engine_discard(struct engine *engine, void *owner)
{
    REQUIRE(!connection_of_owner(owner)->mhd);
    slots_give(&engine->slots, connection_of_owner(owner));
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
    stack->send.shared = &engine->shared;
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
    struct engine_connection *connection = connection_of_owner(owner);

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

static void free_connection(struct engine_connection *connection)
{
    REQUIRE(connection->engine->adopting != connection);
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

    REQUIRE_WITH(fd != stack->transport.fd, "%d", fd);
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

static bool leave(struct engine_connection *connection)
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
    free_connection(connection);
    close(fd);
}

static void check_leaving(struct engine *engine)
{
    uint64_t now = TAILQ_EMPTY(&engine->leaving) ? 0 : clock_now_ms();
    struct engine_connection *each, *next;

    if (now < engine->leaving_next_ms)
        return;
    engine->leaving_next_ms = now > 0 ? now + LEAVING_MS : 0;
    for (each = TAILQ_FIRST(&engine->leaving); each; each = next) {
        next = TAILQ_NEXT(each, link);
        if (has_left(each))
            end(each);
    }
}

static void reset_leaving(struct engine *engine)
{
    struct engine_connection *each;

    while ((each = TAILQ_FIRST(&engine->leaving))) {
        engine_reset(each);
        end(each);
    }
}

enum {
    /* Refuse what RFC 9112 wants refused, be lenient in nothing that changes
     * where a request ends. 2 and 3 refuse what honest clients send. */
    DISCIPLINE = 1,
    RUN_TURNS = 16, /* turns of libmicrohttpd in one engine_run() */
    /* Turns without progress after which libmicrohttpd asked for another at
     * once. After more of them it waits for a millisecond, so that no client
     * can make the loop spin. */
    SPIN_TURNS = 1000,
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
        engine->setup.handlers->opened(connection->owner, connection);
    } else if (!leave(connection)) {
        engine->setup.handlers->closed(connection->owner);
        free_connection(connection);
    }
}

static void *on_request_line(void *context, const char *uri,
                             struct MHD_Connection *mhd)
{
    const struct engine *engine = context;
    struct engine_connection *connection = connection_of(mhd);

    connection->has_headers = false;
    io_stack_report(&connection->stack);
    connection->stack.in_request = true;
    io_stack_forget_reply(&connection->stack);
    engine->setup.handlers->request_line(connection->owner, uri);
    return connection;
}

static enum engine_verdict hand_on_body(struct engine_connection *connection,
                                        const char *data, size_t len)
{
    size_t skipped = body_receive_skip(&connection->stack.receive, len);

    if (skipped == len)
        return ENGINE_CONTINUE;
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
    enum engine_verdict verdict;

    (void)mhd;
    (void)version;
    engine->shared.progress++;
    if (!connection->has_headers) {
        connection->has_headers = true;
        verdict =
            engine->setup.handlers->headers(connection->owner, url, method);
    } else if (*len > 0) {
        verdict = hand_on_body(connection, data, *len);
        *len = 0;
    } else {
        connection->stack.is_partial = false;
        verdict = engine->setup.handlers->end(connection->owner);
    }
    return verdict == ENGINE_CONTINUE ? MHD_YES : MHD_NO;
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
    io_stack_forget_reply(stack);
    if (how == MHD_REQUEST_TERMINATED_COMPLETED_OK)
        io_stack_complete(stack);
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
    engine->shared.handshake_ns = setup->handshake_ns;
    TAILQ_INIT(&engine->leaving);
    engine->adapter.slots = &engine->slots;
    if (slots_init(&engine->slots, setup->connection_limit)) {
        engine->mhd = start_daemon(engine);
        if (engine->mhd)
            return engine;
        slots_free(&engine->slots);
    }
    free(engine);
    return NULL;
}

int engine_fd(const struct engine *engine)
{
    return MHD_get_daemon_info(engine->mhd, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

/* Several turns cost one wake-up of libuv. */
void engine_run(struct engine *engine)
{
    uint64_t wait_ms, progress;

    engine->must_run = false;
    io_adapter_attach(&engine->adapter);
    check_leaving(engine);
    for (int i = 0; i < RUN_TURNS; i++) {
        progress = engine->shared.progress;
        engine->shared.turns++;
        MHD_run(engine->mhd);
        if (engine->shared.progress == progress ||
            MHD_get_timeout64(engine->mhd, &wait_ms) != MHD_YES || wait_ms > 0)
            break;
    }
}

/* The same for libmicrohttpd alone. */
static int64_t next_turn_ms(struct engine *engine)
{
    uint64_t wait_ms;

    if (MHD_get_timeout64(engine->mhd, &wait_ms) != MHD_YES)
        return -1;
    if (wait_ms > 0 || engine->shared.progress != engine->progress) {
        engine->progress = engine->shared.progress;
        engine->idle_turns = 0;
        return (int64_t)wait_ms;
    }
    return ++engine->idle_turns > SPIN_TURNS ? 1 : 0;
}

int64_t engine_next_run_ms(struct engine *engine)
{
    int64_t wait_ms;

    if (engine->must_run)
        engine_run(engine);
    wait_ms = next_turn_ms(engine);
    if (!TAILQ_EMPTY(&engine->leaving) && (wait_ms < 0 || wait_ms > LEAVING_MS))
        wait_ms = LEAVING_MS;
    return wait_ms;
}

void engine_stop(struct engine *engine)
{
    engine->shared.stopping = true;
    io_adapter_attach(&engine->adapter);
    MHD_stop_daemon(engine->mhd);
    reset_leaving(engine);
    io_adapter_attach(NULL);
    free(engine->adapter.stacks);
    slots_free(&engine->slots);
    free(engine);
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
