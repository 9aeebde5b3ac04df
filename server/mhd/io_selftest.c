#include "server/mhd/io_selftest.h"

#include <sys/socket.h>
#include <unistd.h>

#include "server/mhd/engine.h"
#include "server/mhd/engine_connection.h"
#include "server/mhd/engine_state.h"
#include "server/mhd/response.h"

#ifdef FLIPD_MHD_IO_PLAIN
enum { BUILT_PLAIN = 1 };
#else
enum { BUILT_PLAIN = 0 };
#endif

/* libmicrohttpd sends a head alone with send(), a head and a body with
 * sendmsg(), and calls shutdown() after the last answer. */
static const char requests[] =
    "GET /head HTTP/1.1\r\nHost: x\r\n\r\n"
    "GET /body HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

struct client {
    struct engine_connection *engine;
    bool with_body;
};

static void on_opened(void *connection, struct engine_connection *engine)
{
    struct client *client = connection;

    client->engine = engine;
}

static void on_request_line(void *connection, const char *uri)
{
    struct client *client = connection;

    client->with_body = uri[1] == 'b';
}

static enum engine_verdict on_headers(void *connection, const char *url,
                                      const char *method)
{
    (void)connection;
    (void)url;
    (void)method;
    return ENGINE_CONTINUE;
}

static enum engine_verdict on_body(void *connection, const char *data,
                                   size_t len)
{
    (void)connection;
    (void)data;
    (void)len;
    return ENGINE_BODY_UNWANTED;
}

static enum engine_verdict on_end(void *connection)
{
    static char text[] = "body";
    const struct iovec piece = {text, sizeof(text) - 1};
    const struct client *client = connection;
    struct response response;
    bool queued = response_init(&response, &piece, client->with_body) &&
                  response_queue(&response, client->engine, 200);

    response_free(&response);
    return queued ? ENGINE_CONTINUE : ENGINE_NO_MEMORY;
}

static void on_completed(void *connection, bool whole)
{
    (void)connection;
    (void)whole;
}

static void on_closed(void *connection)
{
    (void)connection;
}

static void on_message(void *context, const char *text)
{
    (void)context;
    (void)text;
}

static const struct engine_handlers handlers = {
    .opened = on_opened,
    .request_line = on_request_line,
    .headers = on_headers,
    .body = on_body,
    .end = on_end,
    .completed = on_completed,
    .closed = on_closed,
    .message = on_message,
};

static void exchange(struct engine *engine, const int pair[2])
{
    struct client client = {.engine = NULL};

    engine_attach(engine);
    if (send(pair[1], requests, sizeof(requests) - 1, MSG_NOSIGNAL) < 0)
        close(pair[0]);
    else if (engine_adopt(engine, pair[0], (struct socket_layer){.io = NULL},
                          &client))
        engine_run(engine);
}

static const char *find_missing(unsigned arrived)
{
    static const char *const names[IO_CALLS] = {"recv", "send", "sendmsg",
                                                "shutdown", "epoll_wait"};

    for (int i = 0; i < IO_CALLS; i++)
        if (!(arrived & 1u << i))
            return names[i];
    return NULL;
}

enum io_mode io_selftest_run(const char **missing)
{
    const struct engine_setup setup = {.handlers = &handlers,
                                       .connection_limit = 1};
    struct engine *engine;
    int pair[2];

    if (BUILT_PLAIN)
        return IO_PLAIN;
    *missing = "socketpair";
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return IO_BROKEN;
    engine = engine_start(&setup);
    if (engine) {
        exchange(engine, pair);
        *missing = find_missing(engine->adapter.arrived);
        engine_stop(engine);
    } else {
        close(pair[0]);
    }
    close(pair[1]);
    return *missing ? IO_BROKEN : IO_ADAPTER;
}
