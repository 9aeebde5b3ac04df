#include "server/mhd/sliced_send.h"

#include <errno.h>

#include "server/http/connection.h"
#include "server/http/loop.h"
#include "server/mhd/fd_map.h"
#include "server/mhd/io_adapter.h"

/* A header and the pieces of an answer. */
enum { PARTS = API_MAX_PIECES + 1 };

void sliced_send_start(struct connection *connection, size_t len)
{
    connection->exchange.sliced =
        len > SLICED_SEND_BYTES && fd_map_add(connection);
}

void sliced_send_stop(struct connection *connection)
{
    connection->exchange.gone = 0;
    if (connection->loop->sender == connection)
        connection->loop->sender = NULL;
}

struct slice {
    struct iovec parts[PARTS];
    size_t bytes;
    bool last; /* nothing is left behind it */
};

/* The next slice of `message`, of which `skip` bytes have gone. */
static void cut(struct slice *slice, const struct msghdr *message, size_t skip)
{
    *slice = (struct slice){.last = true};
    for (size_t i = 0; i < message->msg_iovlen; i++) {
        struct iovec part = message->msg_iov[i];
        size_t gone = skip < part.iov_len ? skip : part.iov_len;
        size_t room = SLICED_SEND_BYTES - slice->bytes;

        skip -= gone;
        part.iov_base = (char *)part.iov_base + gone;
        part.iov_len -= gone;
        if (part.iov_len > room) {
            part.iov_len = room;
            slice->last = false;
        }
        slice->parts[i] = part;
        slice->bytes += part.iov_len;
    }
}

/* Tells libmicrohttpd what it has not been told yet, and lets others go. */
static ssize_t settle(struct connection *connection)
{
    size_t gone = connection->exchange.gone;

    sliced_send_stop(connection);
    return (ssize_t)gone;
}

static ssize_t interrupt(void)
{
    errno = EINTR;
    return -1;
}

ssize_t sliced_send_sendmsg(struct connection *connection,
                            const struct msghdr *whole, int flags)
{
    struct exchange *exchange = &connection->exchange;
    struct loop *loop = connection->loop;
    struct slice slice;
    struct msghdr message = {.msg_iov = slice.parts};
    ssize_t result;

    if (whole->msg_iovlen > PARTS)
        return io_adapter_sendmsg(connection, whole, flags);
    if (loop->sender && loop->sender != connection)
        return interrupt();
    cut(&slice, whole, exchange->gone);
    message.msg_iovlen = whole->msg_iovlen;
    result = io_adapter_sendmsg(connection, &message,
                                flags | (slice.last ? 0 : MSG_MORE));
    if (result < 0 && (errno != EAGAIN || exchange->gone == 0))
        return result;
    if (result > 0)
        exchange->gone += (size_t)result;
    if (slice.last || result < (ssize_t)slice.bytes)
        return settle(connection);
    loop->sender = connection;
    loop->calls++; /* it gets somewhere */
    return interrupt();
}
