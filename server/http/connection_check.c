/* Checks each connection every tick: its deadline, and whether its client has
 * closed it. */
#include <stdint.h>

#include "server/http/connection.h"

enum {
    /* A client that read "Connection: close" in its last reply is about to
     * close; one that did not may be about to send a request. */
    STOP_GRACE_MS = 100,
    /* An idle connection is checked once in so many ticks, for that takes
     * system calls. */
    IDLE_TICKS = 8,
};

/* Notices the first bytes of a request: libmicrohttpd says nothing of them
 * before the request line is whole. */
static void watch_idle(struct connection *connection)
{
    uint64_t received = engine_received(connection->state.engine);

    if (connection->has_idle_bytes && received > connection->idle_bytes)
        connection_state_enter_headers(&connection->state);
    if (!connection->has_idle_bytes)
        connection->idle_bytes = received;
    connection->has_idle_bytes = true;
}

static void refuse(struct connection *connection, enum metrics_rejection reason,
                   const char *text)
{
    struct connection_state *state = &connection->state;
    struct job *job = &connection->exchange.task.job;

    if (!engine_is_established(state->engine)) {
        metrics_count_rejection(&state->loop->metrics, reason);
        engine_hang_up(state->engine);
        return;
    }
    if (job->reply.status == 0)
        job_fail(job, 408, (int)reason, text);
    exchange_send_early(&connection->exchange);
    engine_hang_up(state->engine);
}

static void time_out(struct connection *connection)
{
    struct connection_state *state = &connection->state;

    switch (state->stage) {
    case CONNECTION_HEADERS:
        refuse(connection, METRICS_HEADER_TIMEOUT,
               "the headers did not arrive in time");
        break;
    case CONNECTION_BODY:
        refuse(connection, METRICS_BODY_TIMEOUT,
               "the body did not arrive in time");
        break;
    case CONNECTION_SEND:
        metrics_count_rejection(&state->loop->metrics, METRICS_SEND_TIMEOUT);
        engine_reset(state->engine);
        break;
    case CONNECTION_IDLE:
    case CONNECTION_LINGER:
    case CONNECTION_WORK:
        engine_hang_up(state->engine);
        break;
    }
    state->deadline_ms = UINT64_MAX; /* until the engine has noticed */
}

/* Closes a half-closed connection at the second tick that finds it so: at the
 * first, bytes that were sent before the end may not have been received yet. */
static void close_half_closed(struct connection_state *state)
{
    if (state->half_closed)
        engine_hang_up(state->engine);
    state->half_closed = true;
}

/* Spreads the connections over the ticks. */
static bool is_idle_tick(const struct connection *connection, uint64_t now_ms)
{
    return (now_ms / 100 + (uintptr_t)connection / 64) % IDLE_TICKS == 0;
}

static void check_idle(struct connection *connection, uint64_t now_ms,
                       enum service_phase phase)
{
    struct connection_state *state = &connection->state;

    if (phase >= SERVICE_STOPPING) {
        if (now_ms >= state->since_ms + STOP_GRACE_MS &&
            !engine_has_unread(state->engine))
            engine_hang_up(state->engine);
    } else if (is_idle_tick(connection, now_ms)) {
        watch_idle(connection);
        if (engine_has_ended(state->engine, false))
            close_half_closed(state);
    }
}

static void abort_connection(struct connection *connection)
{
    worker_cancel(&connection->exchange.task);
    engine_reset(connection->state.engine);
}

static void check(struct connection *connection, uint64_t now_ms,
                  enum service_phase phase)
{
    struct connection_state *state = &connection->state;

    if (phase == SERVICE_ABORTING) {
        abort_connection(connection);
        return;
    }
    if (now_ms >= state->deadline_ms) {
        time_out(connection);
        return;
    }
    switch (state->stage) {
    case CONNECTION_IDLE:
        check_idle(connection, now_ms, phase);
        break;
    case CONNECTION_HEADERS:
    case CONNECTION_BODY:
    case CONNECTION_LINGER:
        if (engine_has_ended(state->engine, false))
            close_half_closed(state);
        break;
    case CONNECTION_WORK: /* checked by worker_queue_check() */
    case CONNECTION_SEND:
        break;
    }
}

void connection_check_all(struct connection_list *list)
{
    uint64_t now_ms = loop_context_now_ms(list->loop);
    enum service_phase phase = loop_context_phase(list->loop);

    struct connection *each;

    LIST_FOREACH(each, &list->all, link)
    check(each, now_ms, phase);
}
