#include "server/http/connection.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/http/loop.h"
#include "server/mhd/fd_map.h"

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

/* libmicrohttpd's calls for it are found by its descriptor. The time that a
 * client has to say hello is that of a request's headers. */
static bool start_tls(struct connection *connection)
{
    const struct service *service = connection->loop->service;

    if (!connection->loop->profile->tls)
        return true;
    connection_enter(connection, CONNECTION_HEADERS,
                     (uint64_t)service->jobs.options->header_timeout * 1000);
    return fd_map_add(connection) && tls_stream_start(connection);
}

bool connection_new(struct loop *loop, int fd, const struct peer *peer)
{
    struct connection *connection = calloc(1, sizeof(*connection));

    if (!connection) {
        close(fd);
        forget(loop, peer);
        return false;
    }
    connection->loop = loop;
    connection->fd = fd;
    connection->peer = *peer;
    connection->idle_bytes_known = true;
    exchange_init(connection);
    link_to(loop, connection);
    connection_enter(connection, CONNECTION_IDLE,
                     (uint64_t)loop->service->jobs.options->idle_timeout *
                         1000);
    if (!start_tls(connection)) {
        connection_free(connection);
        close(fd);
        return false;
    }
    /* It closes the socket when it fails; whether it has called back to say so
     * shows in `adding`. */
    loop->adding = connection;
    MHD_add_connection(loop->mhd, fd, NULL, 0);
    if (!loop->adding)
        return true;
    loop->adding = NULL;
    connection_free(connection);
    return false;
}

void connection_free(struct connection *connection)
{
    struct loop *loop = connection->loop;

    /* Refused before its request line was whole: libmicrohttpd knows of no
     * request that it could complete. */
    if (connection->exchange.open)
        exchange_close(connection, MHD_REQUEST_TERMINATED_WITH_ERROR);
    fd_map_remove(connection);
    if (connection->tls.session)
        tls_stream_free(connection);
    unlink_from(loop, connection);
    forget(loop, &connection->peer);
    free(connection);
}

void connection_enter(struct connection *connection,
                      enum connection_stage stage, uint64_t limit_ms)
{
    connection->stage = stage;
    connection->half_closed = false;
    connection->since_ms = uv_now(&connection->loop->uv);
    connection->deadline_ms = connection->since_ms + limit_ms;
}
