/* Ends the connections that are past the limit of their stage, that are too
 * slow, or whose client has gone. A tick looks at the oldest of each stage, so
 * a connection that waits costs nothing. */
#include <stdint.h>

#include "server/http/connection.h"
#include "server/limits/budget.h"

enum {
    /* A client that read "Connection: close" in its last reply is about to
     * close; one that did not may be about to send a request. */
    STOP_GRACE_MS = 100,
    /* So long after a stage began, memory that is not in use is given back. */
    TRIM_MS = 1000,
};

/* The oldest of the stage that is past its limit; NULL: none. */
static struct connection *find_overdue(struct connection_list *list,
                                       enum connection_stage stage,
                                       uint64_t limit_ms)
{
    uint64_t now_ms = loop_context_now_ms(list->loop);
    struct stage_entry *entry =
        stage_queue_oldest(&list->queues[stage], now_ms, limit_ms);

    return entry ? connection_of(entry) : NULL;
}

static void end_silent(struct connection_list *list, uint64_t limit_ms)
{
    uint64_t now_ms = loop_context_now_ms(list->loop);
    struct silent *each;

    while ((each = silent_set_oldest(&list->silent, now_ms, limit_ms)))
        connection_close_silent(list, each);
}

static void end_overdue(struct connection_list *list)
{
    const struct options *options = loop_context_options(list->loop);
    uint64_t idle_ms = (uint64_t)options->idle_timeout * 1000;
    uint64_t header_ms = (uint64_t)options->header_timeout * 1000;
    struct connection *each;

    while ((each = find_overdue(list, CONNECTION_IDLE, idle_ms)))
        connection_hang_up(each);
    while ((each = find_overdue(list, CONNECTION_HEADERS, header_ms)))
        connection_refuse(each, METRICS_HEADER_TIMEOUT,
                          "the headers did not arrive in time");
    while ((each = find_overdue(list, CONNECTION_LINGER, CONNECTION_LINGER_MS)))
        connection_hang_up(each);
    end_silent(list, list->loop->profile->tls ? header_ms : idle_ms);
}

static void cut(struct connection *connection)
{
    struct connection_state *state = &connection->state;

    if (state->stage == CONNECTION_BODY) {
        connection_refuse(connection, METRICS_BODY_TIMEOUT,
                          "the body did not arrive in time");
        return;
    }
    exchange_reject(&connection->exchange, METRICS_SEND_TIMEOUT);
    engine_reset(state->engine);
    connection_state_enter(state, CONNECTION_ENDING);
}

/* The pressure of the budget is for those who hold a part of it: to cut others
 * would free nothing. */
static unsigned pressure_on(struct connection_state *state, uint64_t now_ms)
{
    const struct connection *connection = connection_of(&state->entry);
    struct budget *budget = &state->loop->service->jobs.budget;

    return connection->exchange.lease.held > CONNECTION_COST_ALLOWANCE
               ? budget_pressure(budget, now_ms)
               : 0;
}

/* False if the client is too slow. */
static bool is_fast(struct connection_state *state, uint64_t now_ms,
                    unsigned crowd)
{
    const struct options *options = loop_context_options(state->loop);
    uint64_t limit_ms = (uint64_t)options->body_timeout * 1000;
    unsigned pressure = pressure_on(state, now_ms);
    uint64_t moved =
        engine_moved(state->engine, state->stage == CONNECTION_SEND);

    return progress_check(&state->progress, now_ms, moved, limit_ms,
                          pressure > crowd ? pressure : crowd);
}

static void judge(struct connection_list *list, enum connection_stage stage)
{
    uint64_t now_ms = loop_context_now_ms(list->loop);
    struct stage_entry *each = TAILQ_FIRST(&list->queues[stage].entries), *next;

    for (; each; each = next) {
        struct connection *connection = connection_of(each);

        next = TAILQ_NEXT(each, link);
        if (!is_fast(&connection->state, now_ms, crowd_pressure(&list->crowd)))
            cut(connection);
    }
}

/* libmicrohttpd receives on in the stages that it reads in. */
static bool may_end(enum connection_stage stage)
{
    return stage == CONNECTION_IDLE || stage == CONNECTION_HEADERS ||
           stage == CONNECTION_BODY || stage == CONNECTION_LINGER;
}

static void end_if_gone(struct connection *connection)
{
    if (may_end(connection->state.stage) &&
        engine_has_ended(connection->state.engine, false))
        connection_hang_up(connection);
}

/* The end of a client's half that has come together with its last bytes is not
 * reported to libmicrohttpd: its recv() has found bytes, and epoll has nothing
 * new to say. So this asks the sockets that bytes have come from. */
static void end_gone(struct connection_list *list)
{
    struct stage_entry *each;

    while ((each = stage_queue_oldest(&list->heard, UINT64_MAX, 0))) {
        struct connection *connection = connection_of_heard(each);

        stage_queue_remove(&list->heard, each);
        connection->state.is_heard = false;
        end_if_gone(connection);
    }
}

static void check_each_second(struct connection_list *list)
{
    uint64_t now_ms = loop_context_now_ms(list->loop);

    if (now_ms < list->judged_ms + PROGRESS_PERIOD_MS)
        return;
    list->judged_ms = now_ms;
    judge(list, CONNECTION_BODY);
    judge(list, CONNECTION_SEND);
}

/* The next request may begin at once and go on slowly. */
static void trim(struct connection_list *list, enum connection_stage stage)
{
    uint64_t now_ms = loop_context_now_ms(list->loop);
    struct stage_entry *each;

    while ((each = stage_queue_look(&list->queues[stage], now_ms, TRIM_MS)))
        engine_trim(connection_of(each)->state.engine,
                    stage == CONNECTION_IDLE);
}

/* Closes the connections that have been idle for a moment. Bytes that were not
 * received yet are a request, which gets its reply. */
static void close_idle(struct connection_list *list)
{
    uint64_t now_ms = loop_context_now_ms(list->loop);
    struct stage_entry *each =
        TAILQ_FIRST(&list->queues[CONNECTION_IDLE].entries);
    struct stage_entry *next;

    for (; each && now_ms >= each->since_ms + STOP_GRACE_MS; each = next) {
        struct connection *connection = connection_of(each);

        next = TAILQ_NEXT(each, link);
        if (!engine_has_unread(connection->state.engine))
            connection_hang_up(connection);
    }
    end_silent(list, STOP_GRACE_MS);
}

/* True if its client would miss a reply, or a part of one. */
static bool is_running(const struct connection_state *state)
{
    switch (state->stage) {
    case CONNECTION_IDLE:
        return engine_has_unread(state->engine);
    case CONNECTION_HEADERS:
        return engine_is_established(state->engine);
    case CONNECTION_BODY:
    case CONNECTION_WORK:
    case CONNECTION_SEND:
        return true;
    default:
        return false;
    }
}

/* An idle connection is not reset: the kernel may still send its last reply. */
static void abort_one(struct connection *connection)
{
    struct connection_state *state = &connection->state;
    bool running = is_running(state);

    if (running && state->loop->profile->counted)
        service_note_cut(state->loop->service);
    if (!running && state->stage == CONNECTION_IDLE) {
        connection_hang_up(connection);
        return;
    }
    worker_cancel(&connection->exchange.task);
    engine_reset(state->engine);
}

static void abort_all(struct connection_list *list)
{
    struct stage_entry *each, *next;

    for (int stage = 0; stage < CONNECTION_STAGES; stage++)
        for (each = TAILQ_FIRST(&list->queues[stage].entries); each;
             each = next) {
            next = TAILQ_NEXT(each, link);
            abort_one(connection_of(each));
        }
    end_silent(list, 0);
}

void connection_check_all(struct connection_list *list)
{
    enum service_phase phase = loop_context_phase(list->loop);

    if (phase == SERVICE_ABORTING) {
        abort_all(list);
        return;
    }
    /* Its steps are shorter than a second. */
    budget_pressure(&list->loop->service->jobs.budget,
                    loop_context_now_ms(list->loop));
    end_overdue(list);
    connection_relieve(list);
    check_each_second(list);
    end_gone(list);
    trim(list, CONNECTION_IDLE);
    trim(list, CONNECTION_HEADERS);
    trim(list, CONNECTION_BODY);
    if (phase >= SERVICE_STOPPING)
        close_idle(list);
}
