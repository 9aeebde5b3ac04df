#include "server/mhd/body_receive.h"

#include <errno.h>
#include <sys/socket.h>

#include "server/http/connection.h"
#include "server/http/loop.h"
#include "server/mhd/fd_map.h"
#include "server/mhd/io_adapter.h"

enum {
    LEAST = 32 << 10,  /* bytes of a body that is worth it */
    EAGER = 256 << 10, /* the same of one that is looked at as it comes */
    STEP = 256 << 10,  /* most bytes in one call, for others wait meanwhile */
    TURNS = 16,        /* most of libmicrohttpd's in which it asks nobody */
};

void body_receive_start(struct connection *connection)
{
    struct exchange *exchange = &connection->exchange;

    exchange->direct =
        exchange->body.announced >= LEAST && fd_map_add(connection);
    exchange->eager = exchange->body.announced >= EAGER &&
                      exchange->route.id == API_ROUTE_INFER &&
                      !exchange->headers.content_encoding;
    /* What has come with the headers has most likely more behind it. */
    connection->loop->untold |= exchange->direct;
}

/* Lets the socket be silent until `bytes` more have come. */
static void await(struct connection *connection, int bytes)
{
    if (connection->exchange.awaited != bytes &&
        setsockopt(connection->fd, SOL_SOCKET, SO_RCVLOWAT, &bytes,
                   sizeof(bytes)) == 0)
        connection->exchange.awaited = bytes;
}

/* How many bytes of TLS these are nobody knows. */
static void await_step(struct connection *connection)
{
    const struct body *body = &connection->exchange.body;
    size_t left = body->announced - body->len;

    if (!connection->tls.session)
        await(connection, (int)(left < STEP ? left : STEP));
}

void body_receive_stop(struct connection *connection)
{
    connection->exchange.direct = false;
    if (connection->exchange.awaited > 0)
        await(connection, 1);
    connection->exchange.awaited = 0;
}

size_t body_receive_skip(struct exchange *exchange, size_t len)
{
    size_t skipped = len < exchange->told ? len : exchange->told;

    exchange->told -= skipped;
    return skipped;
}

enum step {
    FULL, /* all that was asked for came: there may be more */
    DRY,  /* the socket has no more for now, has ended or is broken */
    OVER, /* the rest is libmicrohttpd's */
};

static void look(struct exchange *exchange, struct job_context *context)
{
    struct api_early *early = &exchange->early;

    if (!early->over && !early->lengths.done)
        body_note(&exchange->body, context, &early->lengths);
    api_read_early(early, exchange->body.buffer.data, exchange->body.len);
}

/* What of the body has come, and a byte behind it that is not the body's. */
static void keep(struct connection *connection, const unsigned char *place,
                 size_t len)
{
    struct exchange *exchange = &connection->exchange;
    struct body *body = &exchange->body;

    if (len > body->announced - body->len) {
        len--;
        connection->surplus = place[len];
        connection->has_surplus = true;
    }
    body->len += len;
    exchange->ahead += len;
    if (exchange->eager)
        look(exchange, &connection->loop->service->jobs);
}

/* Receives into the body once; `result` is what recv() gave. */
static enum step receive_step(struct connection *connection, int flags,
                              ssize_t *result)
{
    struct body *body = &connection->exchange.body;
    size_t left = body->announced - body->len;
    size_t size = left < STEP ? left + 1 : STEP;
    unsigned char *place;

    if (left == 0)
        return OVER;
    place =
        body_place(body, &connection->loop->service->jobs,
                   left < STEP ? left : STEP, uv_now(&connection->loop->uv));
    if (!place) /* body_append() will find out why, and refuse */
        return OVER;
    *result = io_adapter_recv(connection, place, size, flags);
    if (*result > 0)
        keep(connection, place, (size_t)*result);
    return *result == (ssize_t)size ? FULL : DRY;
}

/* Receives until there is enough for libmicrohttpd, `size` bytes, or no more.
 * That the socket was dry holds until the kernel is asked again what is ready:
 * what comes meanwhile it will then announce. */
static enum step receive(struct connection *connection, size_t size, int flags,
                         ssize_t *result)
{
    struct exchange *exchange = &connection->exchange;
    uint64_t polls = connection->loop->polls;
    enum step step = polls < exchange->dry_until ? DRY : FULL;

    errno = EAGAIN;
    *result = -1;
    while (step == FULL && exchange->ahead < size)
        step = receive_step(connection, flags, result);
    if (step == DRY && *result != 0)
        exchange->dry_until = polls + 1;
    return step;
}

static size_t tell(struct exchange *exchange, size_t most)
{
    size_t told = exchange->ahead < most ? exchange->ahead : most;

    exchange->ahead -= told;
    exchange->told += told;
    return told;
}

ssize_t body_receive_recv(struct connection *connection, void *data,
                          size_t size, int flags)
{
    struct exchange *exchange = &connection->exchange;
    enum step step;
    ssize_t result;
    size_t told;

    if (exchange->ahead == 0 && connection->loop->sender) {
        errno = EINTR; /* asks again in its next turn */
        return -1;
    }
    step = receive(connection, size, flags, &result);
    told = tell(exchange, size);
    if (exchange->ahead > 0) {
        connection->loop->untold = true;
        return (ssize_t)told;
    }
    if (step == OVER || exchange->body.len == exchange->body.announced)
        body_receive_stop(connection);
    else if (step == DRY)
        await_step(connection);
    if (step != OVER || told == size)
        return told > 0 ? (ssize_t)told : result;
    result =
        io_adapter_recv(connection, (char *)data + told, size - told, flags);
    if (result > 0)
        return (ssize_t)told + result;
    return told > 0 ? (ssize_t)told : result;
}

bool body_receive_has_unreported(struct loop *loop)
{
    bool untold = loop->untold && loop->untold_turns < TURNS;

    loop->untold = false;
    loop->untold_turns = untold ? loop->untold_turns + 1 : 0;
    loop->polls += !untold;
    return untold;
}
