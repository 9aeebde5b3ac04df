#include "server/http/connection.h"

#include <stdlib.h>
#include <unistd.h>

#include "server/http/loop.h"
#include "server/mhd/engine.h"
#include "server/tls/stream.h"

static void link_to(struct loop *loop, struct connection *connection)
{
    connection->next = loop->connections;
    if (connection->next)
        connection->next->prev = connection;
    loop->connections = connection;
}

static void unlink_from(struct loop *loop, struct connection *connection)
{
    if (connection->prev)
        connection->prev->next = connection->next;
    else
        loop->connections = connection->next;
    if (connection->next)
        connection->next->prev = connection->prev;
}

static void forget(struct loop *loop, const struct peer *peer)
{
    struct service *service = loop->service;
    const struct listener_profile *profile = loop->profile;

    atomic_fetch_sub(&loop->open, 1);
    if (profile->counted) {
        address_limit_remove(&service->address_limit, peer);
        atomic_fetch_sub(&service->connections, 1);
    }
    profile->on_closed(profile->on_closed_context);
}

static void enter_idle(struct connection *connection)
{
    const struct options *options = connection->loop->service->jobs.options;

    connection_enter(connection, CONNECTION_IDLE,
                     (uint64_t)options->idle_timeout * 1000);
}

static void release(struct connection *connection)
{
    struct loop *loop = connection->loop;

    unlink_from(loop, connection);
    forget(loop, &connection->peer);
    free(connection);
}

/* The time for a handshake is that for a request's headers. */
static struct socket_layer open_tls(struct connection *connection, int fd)
{
    struct service *service = connection->loop->service;

    connection_enter(connection, CONNECTION_HEADERS,
                     (uint64_t)service->jobs.options->header_timeout * 1000);
    return tls_stream_new(&service->tls, fd);
}

bool connection_new(struct loop *loop, int fd, const struct peer *peer)
{
    struct connection *connection = calloc(1, sizeof(*connection));
    struct socket_layer transport = {.io = NULL};

    if (!connection) {
        close(fd);
        forget(loop, peer);
        return false;
    }
    connection->loop = loop;
    connection->peer = *peer;
    connection->idle_bytes_known = true;
    exchange_init(connection);
    link_to(loop, connection);
    enter_idle(connection);
    if (loop->profile->tls) {
        transport = open_tls(connection, fd);
        if (!transport.io) {
            close(fd);
            release(connection);
            return false;
        }
    }
    if (engine_adopt(loop->engine, fd, transport, connection))
        return true;
    release(connection);
    return false;
}

void connection_on_open(void *context, struct engine_connection *engine)
{
    struct connection *connection = context;

    connection->engine = engine;
}

/* From here on it is like a connection that has sent nothing yet. */
void connection_on_established(void *context)
{
    struct connection *connection = context;

    connection->idle_bytes_known = false;
    enter_idle(connection);
}

/* The handshake failed. */
void connection_on_refused(void *context)
{
    connection_enter(context, CONNECTION_LINGER, CONNECTION_LINGER_MS);
}

static void report_fault(const struct connection *connection)
{
    struct log *log = connection->loop->service->jobs.log;
    const char *fault = engine_fault(connection->engine);
    char client[PEER_TEXT_SIZE];

    if (!fault || !log_wants(log, LOG_DEBUG))
        return;
    peer_text(&connection->peer, client);
    log_event(log, LOG_DEBUG, "TLS failed", {"client", client, 0},
              {"stage",
               engine_is_established(connection->engine) ? "established"
                                                         : "handshake",
               0},
              {"reason", fault, 0});
}

void connection_on_close(void *context)
{
    struct connection *connection = context;

    /* Refused before its request line was whole: the engine knows of no request
     * that it could complete. */
    if (connection->exchange.open)
        exchange_close(connection, false);
    report_fault(connection);
    release(connection);
}

void connection_enter(struct connection *connection,
                      enum connection_stage stage, uint64_t limit_ms)
{
    connection->stage = stage;
    connection->half_closed = false;
    connection->since_ms = uv_now(&connection->loop->uv);
    connection->deadline_ms = connection->since_ms + limit_ms;
}
