#include "server/http/connection.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

#include "kernels/core/require.h"
#include "server/http/http_exchange.h"
#include "server/limits/connection_cost.h"
#include "server/mhd/engine.h"

struct connection {
    struct http_exchange http; /* the current one, or the next; first */
    struct connection_state state;
    TAILQ_ENTRY(connection) received; /* of the port's */
    bool has_received; /* bytes have come since the port's last tick */
};

TAILQ_HEAD(received, connection);

/* HTTP's state of one loop. */
struct http_port {
    struct engine *engine;    /* owned */
    struct received received; /* connections that bytes have come from since the
                               * last tick */
    uv_poll_t poll;           /* of the engine's descriptor */
    uv_prepare_t before;      /* each wait */
    uv_timer_t timeout;       /* of the engine */
};

static_assert(offsetof(struct connection, http) == 0,
              "the engine's owner is the connection and its exchange");
static_assert(sizeof(struct connection) <= (size_t)ENGINE_OWNER_BYTES,
              "it lies in the engine's memory");

static struct connection *connection_of(const struct connection_state *state)
{
    return (struct connection *)((char *)(uintptr_t)state -
                                 offsetof(struct connection, state));
}

static struct http_port *port_of(const struct connection *connection)
{
    return connection->state.port->state;
}

static const struct transport *
transport_of(const struct connection_state *state)
{
    return engine_transport(state->engine);
}

static bool is_idle(const struct connection_state *state)
{
    return state->stage == CONNECTION_IDLE ||
           state->stage == CONNECTION_ACCEPTED;
}

static void release(struct connection *connection)
{
    REQUIRE(!http_exchange_is_open(&connection->http));
    if (connection->has_received)
        TAILQ_REMOVE(&port_of(connection)->received, connection, received);
    connection_state_release(&connection->state);
}

static bool adopt(struct loop_port *port, const struct arrival *arrival,
                  struct socket_layer layer)
{
    struct http_port *http = port->state;
    struct connection *connection = engine_reserve(http->engine);

    if (!connection)
        return false;
    connection_state_init(&connection->state, port, &arrival->peer);
    connection->state.engine = engine_of(connection);
    http_exchange_init(&connection->http, &connection->state);
    engine_adopt(http->engine, arrival->fd, layer, connection);
    return true;
}

/* The engine will close it. */
static void hang_up(struct connection *connection)
{
    engine_hang_up(connection->state.engine);
    connection_state_enter(&connection->state, CONNECTION_ENDING);
}

/* The same, with a reply 408 if one can be sent, that `text` is `limit`; counts
 * `reason`. */
static void refuse(struct connection *connection, enum metrics_rejection reason,
                   const char *text, int64_t limit)
{
    struct connection_state *state = &connection->state;
    struct job *job = &connection->http.exchange.task.job;

    /* An error may have been sent, and the engine be about to close. */
    if (transport_of(state)->established && !connection->http.early) {
        if (job->reply.status == 0)
            job_fail(job, 408, (int)reason, "%s is %lld", text,
                     (long long)limit);
        http_exchange_send_early(&connection->http);
    } else {
        metrics_count_rejection(&state->loop->metrics, reason);
    }
    hang_up(connection);
}

/* From here on it is like a connection between two requests. */
static void on_established(void *owner)
{
    struct connection *connection = owner;

    connection_state_enter(&connection->state, CONNECTION_IDLE);
}

/* libmicrohttpd says nothing of a request before its line is whole. */
static void on_received(void *owner)
{
    struct connection *connection = owner;
    struct connection_state *state = &connection->state;

    if (is_idle(state))
        connection_state_enter(state, CONNECTION_HEADERS);
    if (!connection->has_received)
        TAILQ_INSERT_TAIL(&port_of(connection)->received, connection, received);
    connection->has_received = true;
}

static void report_fault(const struct connection_state *state)
{
    struct log *log = state->loop->service->jobs.log;
    const struct transport *transport = transport_of(state);
    const struct socket_io *io = transport->layer.io;
    const char *fault = io->fault ? io->fault(transport->layer.self) : NULL;
    char text[PEER_TEXT_SIZE];

    if (!fault || !log_wants(log, LOG_DEBUG))
        return;
    peer_text(&state->peer, text);
    log_event(
        log, LOG_DEBUG, "TLS failed", {"client", text, 0},
        {"stage", transport->established ? "established" : "handshake", 0},
        {"reason", fault, 0});
}

static void on_closed(void *owner, struct transport *rest, bool drops)
{
    struct connection *connection = owner;

    if (http_exchange_is_open(&connection->http))
        http_exchange_lose(&connection->http);
    report_fault(&connection->state);
    if (rest)
        connection_state_linger(&connection->state, rest, drops);
    release(connection);
}

static void on_message(void *log, const char *text)
{
    log_event(log, LOG_DEBUG, "libmicrohttpd", {"text", text, 0});
}

/* Owners of the engine's connections are struct connection. The context of
 * message() is a struct log. */
static const struct engine_handlers handlers = {
    .established = on_established,
    .received = on_received,
    .unparsed = http_exchange_on_unparsed,
    .request_line = http_exchange_on_request_line,
    .headers = http_exchange_on_headers,
    .body = http_exchange_on_body,
    .end = http_exchange_on_end,
    .completed = http_exchange_close,
    .closed = on_closed,
    .target = {http_exchange_reserve_body, http_exchange_on_body_received},
    .message = on_message,
};

static void end_overdue(struct connection_state *state)
{
    REQUIRE_WITH(state->stage != CONNECTION_WORK &&
                     state->stage != CONNECTION_ENDING,
                 "stage %d", state->stage);
    if (state->stage == CONNECTION_HEADERS)
        refuse(connection_of(state), METRICS_HEADER_TIMEOUT,
               "the headers did not arrive in time: header-timeout, in "
               "seconds,",
               loop_context_options(state->loop)->header_timeout);
    else
        hang_up(connection_of(state));
}

static bool make_room(struct connection_state *state)
{
    if (state->stage == CONNECTION_WORK)
        return false;
    if (state->stage == CONNECTION_HEADERS) {
        refuse(connection_of(state), METRICS_CROWD,
               "the headers have not arrived yet and the port is full: "
               "max-connections",
               (int64_t)state->port->profile->limit);
        return true;
    }
    if (transport_has_unread(transport_of(state)))
        return false;
    metrics_count_rejection(&state->loop->metrics, METRICS_CROWD);
    /* It would go on to count. */
    if (socket_has_unsent(transport_of(state)->fd))
        engine_reset(state->engine);
    hang_up(connection_of(state));
    return true;
}

static uint64_t moved(const struct connection_state *state)
{
    return engine_moved(state->engine, state->stage == CONNECTION_SEND);
}

static bool holds_budget(const struct connection_state *state)
{
    return connection_of(state)->http.exchange.lease.held >
           CONNECTION_COST_ALLOWANCE;
}

static void cut(struct connection_state *state)
{
    struct connection *connection = connection_of(state);
    struct job *job = &connection->http.exchange.task.job;

    if (state->stage == CONNECTION_BODY) {
        refuse(connection, METRICS_BODY_TIMEOUT,
               "the body did not arrive in time: body-timeout, in seconds,",
               loop_context_options(state->loop)->body_timeout);
        return;
    }
    /* A reply that is a refusal itself has its reason already. */
    if (job->rejection < 0)
        job->rejection = METRICS_SEND_TIMEOUT;
    else
        metrics_count_rejection(&state->loop->metrics, METRICS_SEND_TIMEOUT);
    engine_reset(state->engine);
    connection_state_enter(state, CONNECTION_ENDING);
}

static void trim(struct connection_state *state)
{
    engine_trim(state->engine, state->stage == CONNECTION_IDLE);
}

/* Bytes that were not received yet are a request, which gets its reply. */
static void stop(struct connection_state *state)
{
    if ((is_idle(state) || !transport_of(state)->established) &&
        !transport_has_unread(transport_of(state)))
        hang_up(connection_of(state));
}

/* True if its client would miss a reply, or a part of one. */
static bool is_running(const struct connection_state *state)
{
    switch (state->stage) {
    case CONNECTION_ACCEPTED:
    case CONNECTION_IDLE:
        return transport_has_unread(transport_of(state)) ||
               socket_has_unsent(transport_of(state)->fd);
    case CONNECTION_HEADERS:
        return transport_of(state)->established;
    case CONNECTION_BODY:
    case CONNECTION_WORK:
    case CONNECTION_SEND:
        return true;
    default:
        return false;
    }
}

/* An idle connection is not reset: the kernel may still send its last reply. */
static void abort_one(struct connection_state *state)
{
    struct connection *connection = connection_of(state);
    bool running = is_running(state);

    if (running && state->loop->profile->counted)
        service_note_cut(state->loop->service);
    if (!running && is_idle(state)) {
        hang_up(connection);
        return;
    }
    worker_cancel(&connection->http.exchange.task);
    engine_reset(state->engine);
}

/* libmicrohttpd receives on in the stages that it reads in. */
static bool may_end(enum connection_stage stage)
{
    return stage == CONNECTION_IDLE || stage == CONNECTION_HEADERS ||
           stage == CONNECTION_BODY;
}

/* The end of a client's half that has come together with its last bytes is not
 * reported to libmicrohttpd: its recv() has found bytes, and epoll has nothing
 * new to say. So this asks the sockets that bytes have come from. */
static void end_gone(struct http_port *http)
{
    struct connection *connection;

    while ((connection = TAILQ_FIRST(&http->received))) {
        TAILQ_REMOVE(&http->received, connection, received);
        connection->has_received = false;
        if (may_end(connection->state.stage) &&
            engine_has_ended(connection->state.engine, false))
            hang_up(connection);
    }
}

static void tick(struct loop_port *port)
{
    struct http_port *http = port->state;

    if (loop_context_phase(port->list->loop) < SERVICE_ABORTING)
        end_gone(http);
    engine_run(http->engine);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    const struct http_port *http = poll->data;

    (void)status;
    (void)events;
    engine_run(http->engine);
}

static void on_timeout(uv_timer_t *timeout)
{
    const struct http_port *http = timeout->data;

    engine_run(http->engine);
}

/* Limits the wait that follows to the time when the engine wants to run. */
static void before_wait(uv_prepare_t *before)
{
    struct http_port *http = before->data;
    int64_t wait_ms = engine_next_run_ms(http->engine);

    if (wait_ms >= 0)
        uv_timer_start(&http->timeout, on_timeout, (uint64_t)wait_ms, 0);
    else
        uv_timer_stop(&http->timeout);
}

static bool init_handles(struct http_port *http, uv_loop_t *uv)
{
    if (uv_poll_init(uv, &http->poll, engine_fd(http->engine)) != 0)
        return false;
    uv_prepare_init(uv, &http->before);
    uv_timer_init(uv, &http->timeout);
    http->poll.data = http->before.data = http->timeout.data = http;
    uv_poll_start(&http->poll, UV_READABLE, on_poll);
    uv_prepare_start(&http->before, before_wait);
    return true;
}

static bool start(struct loop_port *port, uv_loop_t *uv)
{
    struct http_port *http = calloc(1, sizeof(*http));

    if (!http)
        return false;
    port->state = http;
    TAILQ_INIT(&http->received);
    http->engine = engine_start(&(struct engine_setup){
        .handlers = &handlers,
        .context = port->list->loop->service->jobs.log,
        .connection_limit = (unsigned)port->profile->limit,
        .buffers = &port->list->buffers,
        .handshake_ns = &port->list->loop->handshake_ns,
    });
    return http->engine && init_handles(http, uv);
}

static void stop_port(struct loop_port *port)
{
    struct http_port *http = port->state;

    engine_stop(http->engine);
    REQUIRE(TAILQ_EMPTY(&http->received));
    free(http);
}

const struct protocol protocol_http = {
    .start = start,
    .free = stop_port,
    .adopt = adopt,
    .tick = tick,
    .end_overdue = end_overdue,
    .make_room = make_room,
    .moved = moved,
    .holds_budget = holds_budget,
    .cut = cut,
    .trim = trim,
    .stop = stop,
    .abort = abort_one,
};
