#include "server/http/connection.h"

#include <assert.h>
#include <stddef.h>
#include <unistd.h>

#include "server/limits/age.h"

static_assert(offsetof(struct connection, http) == 0,
              "the engine's owner is the connection and its exchange");
static_assert(sizeof(struct connection) <= (size_t)ENGINE_OWNER_BYTES,
              "it lies in the engine's memory");

static void release(struct connection *connection)
{
    struct connection_state *state = &connection->state;

    stage_queue_remove(&state->queues[state->stage], &state->entry);
    if (state->is_heard)
        stage_queue_remove(state->heard, &state->heard_entry);
    listener_uncount(state->loop, state->loop->profile, &state->peer);
}

static struct connection *make(struct connection_list *list,
                               const struct peer *peer)
{
    struct connection *connection = engine_reserve(list->engine);

    if (!connection)
        return NULL;
    connection->state = (struct connection_state){
        .loop = list->loop,
        .peer = *peer,
        .address_hash = peer_hash(peer),
        .age_end_ms =
            age_end_ms(loop_context_options(list->loop)->max_connection_age,
                       peer, loop_context_now_ms(list->loop)),
        .queues = list->queues,
        .heard = &list->heard,
    };
    http_exchange_init(&connection->http, &connection->state);
    connection_state_start(&connection->state, CONNECTION_IDLE);
    return connection;
}

/* The time for a handshake is that for a request's headers. */
static bool open_tls(struct connection_state *state, int fd,
                     struct socket_layer *transport)
{
    connection_state_enter(state, CONNECTION_HEADERS);
    *transport = tls_stream_new(&state->loop->service->tls, fd, TLS_HTTP1);
    return transport->io != NULL;
}

void connection_adopt(struct connection_list *list,
                      const struct arrival *arrival)
{
    struct connection *connection = make(list, &arrival->peer);
    struct socket_layer transport = {.io = NULL};

    if (!connection) {
        close(arrival->fd);
        listener_uncount(list->loop, list->loop->profile, &arrival->peer);
        return;
    }
    if (list->loop->profile->tls &&
        !open_tls(&connection->state, arrival->fd, &transport)) {
        close(arrival->fd);
    } else if (engine_adopt(list->engine, arrival->fd, transport, connection)) {
        return;
    }
    release(connection);
    engine_discard(list->engine, connection);
}

void connection_hang_up(struct connection *connection)
{
    engine_hang_up(connection->state.engine);
    connection_state_enter(&connection->state, CONNECTION_ENDING);
}

void connection_refuse(struct connection *connection,
                       enum metrics_rejection reason, const char *text)
{
    struct connection_state *state = &connection->state;
    struct job *job = &connection->http.exchange.task.job;

    /* An error may have been sent, and the engine be about to close. */
    if (engine_is_established(state->engine) && !connection->http.early) {
        if (job->reply.status == 0)
            job_fail(job, 408, (int)reason, text);
        http_exchange_send_early(&connection->http);
    } else {
        metrics_count_rejection(&state->loop->metrics, reason);
    }
    connection_hang_up(connection);
}

static void on_opened(void *owner, struct engine_connection *engine)
{
    struct connection *connection = owner;

    connection->state.engine = engine;
}

/* From here on it is like a connection that has sent nothing yet. */
static void on_established(void *owner)
{
    struct connection *connection = owner;

    connection_state_enter(&connection->state, CONNECTION_IDLE);
}

/* The handshake failed; the engine discards input. */
static void on_refused(void *owner)
{
    struct connection *connection = owner;

    connection_state_enter(&connection->state, CONNECTION_LINGER);
}

/* libmicrohttpd says nothing of a request before its line is whole. */
static void on_received(void *owner)
{
    struct connection *connection = owner;
    struct connection_state *state = &connection->state;

    if (state->stage == CONNECTION_IDLE)
        connection_state_enter(state, CONNECTION_HEADERS);
    if (!state->is_heard)
        stage_queue_add(state->heard, &state->heard_entry,
                        loop_context_now_ms(state->loop));
    state->is_heard = true;
}

static void report_fault(const struct connection_state *state)
{
    struct log *log = state->loop->service->jobs.log;
    const char *fault = engine_fault(state->engine);
    bool established = engine_is_established(state->engine);
    char text[PEER_TEXT_SIZE];

    if (!fault || !log_wants(log, LOG_DEBUG))
        return;
    peer_text(&state->peer, text);
    log_event(log, LOG_DEBUG, "TLS failed", {"client", text, 0},
              {"stage", established ? "established" : "handshake", 0},
              {"reason", fault, 0});
}

static void end_exchange(struct connection *connection)
{
    if (http_exchange_is_open(&connection->http))
        http_exchange_lose(&connection->http);
    report_fault(&connection->state);
}

/* The connection still counts against the limit: the kernel holds unsent
 * replies. The minimum rate still applies. */
static void on_leaving(void *owner)
{
    struct connection *connection = owner;

    end_exchange(connection);
    connection_state_enter(&connection->state, CONNECTION_SEND);
}

static void on_closed(void *owner)
{
    struct connection *connection = owner;

    end_exchange(connection);
    release(connection);
}

static void on_completed(void *owner, bool whole)
{
    struct connection *connection = owner;

    http_exchange_close(&connection->http, whole);
}

static void on_message(void *log, const char *text)
{
    log_event(log, LOG_DEBUG, "libmicrohttpd", {"text", text, 0});
}

const struct engine_handlers connection_handlers = {
    .opened = on_opened,
    .established = on_established,
    .refused = on_refused,
    .received = on_received,
    .unparsed = http_exchange_on_unparsed,
    .request_line = http_exchange_on_request_line,
    .headers = http_exchange_on_headers,
    .body = http_exchange_on_body,
    .end = http_exchange_on_end,
    .completed = on_completed,
    .leaving = on_leaving,
    .closed = on_closed,
    .target = {http_exchange_reserve_body, http_exchange_on_body_received},
    .message = on_message,
};
