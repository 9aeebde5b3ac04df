#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/mhd/engine_state.h"

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
        engine->adopting = NULL;
        connection->mhd = mhd;
        *socket_context = connection;
        engine->setup.handlers->opened(connection->owner, connection);
    } else if (!engine_leave(connection)) {
        engine->setup.handlers->closed(connection->owner);
        engine_connection_free(connection);
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
    engine_check_leaving(engine);
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
    if (!TAILQ_EMPTY(&engine->leaving) &&
        (wait_ms < 0 || wait_ms > ENGINE_LEAVING_MS))
        wait_ms = ENGINE_LEAVING_MS;
    return wait_ms;
}

void engine_stop(struct engine *engine)
{
    engine->shared.stopping = true;
    io_adapter_attach(&engine->adapter);
    MHD_stop_daemon(engine->mhd);
    engine_reset_leaving(engine);
    io_adapter_attach(NULL);
    free(engine->adapter.stacks);
    slots_free(&engine->slots);
    free(engine);
}
