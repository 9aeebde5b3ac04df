#include "server/mhd/sliced_send.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "kernels/core/require.h"

/* Bytes of a reply that is not large, for each time costs 0.1 ms, a fifth of a
 * request of 1 MiB. */
enum { GIVE_WAY_FROM = 4 << 20 };

void sliced_send_start(struct sliced_send *send, size_t len)
{
    bool large = len >= SLICED_SEND_LARGE;

    REQUIRE_WITH(!send->on && send->sent_unreported == 0, "%zu", len);
    send->on = true;
    send->slice = large ? SLICED_SEND_SMALL_BYTES : SLICED_SEND_BYTES;
    send->gives_way_from = large ? 0 : GIVE_WAY_FROM;
    send->sent_unreported = 0;
}

void sliced_send_stop(struct sliced_send *send)
{
    send->on = false;
    send->sent_unreported = 0;
}

struct slice {
    struct iovec parts[SLICED_SEND_PARTS];
    size_t bytes;
    bool last; /* it ends the reply */
};

/* Makes the next slice of a reply. */
static void cut(const struct sliced_send *send, struct slice *slice,
                const struct iovec *parts, size_t count)
{
    size_t skip = send->sent_unreported;

    *slice = (struct slice){.last = true};
    for (size_t i = 0; i < count; i++) {
        struct iovec part = parts[i];
        size_t sent = skip < part.iov_len ? skip : part.iov_len;
        size_t room = send->slice - slice->bytes;

        skip -= sent;
        part.iov_base = (char *)part.iov_base + sent;
        part.iov_len -= sent;
        if (part.iov_len > room) {
            part.iov_len = room;
            slice->last = false;
        }
        slice->parts[i] = part;
        slice->bytes += part.iov_len;
    }
}

static ssize_t send_below(struct sliced_send *send, const struct iovec *parts,
                          size_t count, int flags)
{
    ssize_t result =
        send->below->io->sendv(send->below->self, parts, count, flags);

    if (result > 0)
        send->sent += (uint64_t)result;
    return result;
}

void sliced_send_begin(struct sliced_send *send, const char *text, size_t len)
{
    static const char end[] = "\r\n\r\n";
    const char *at = memmem(text, len, end, sizeof(end) - 1);

    if (at)
        len = (size_t)(at - text) + sizeof(end) - 1;
    send->body_from = send->sent + len;
}

uint64_t sliced_send_body(const struct sliced_send *send)
{
    bool has_body = send->body_from > 0 && send->sent > send->body_from;

    return has_body ? send->sent - send->body_from : 0;
}

void sliced_send_now(struct sliced_send *send, int fd, const char *data,
                     size_t len)
{
    ssize_t sent = 0;

    sliced_send_begin(send, data, len);
    while (len > 0 && (sent >= 0 || errno == EINTR ||
                       (errno == EAGAIN && socket_buffers_add_room(fd)))) {
        /* sendmsg() does not write there; its type only cannot say so. */
        struct iovec part = {(void *)(uintptr_t)data, len};

        sent = send_below(send, &part, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
        data += sent > 0 ? sent : 0;
        len -= sent > 0 ? (size_t)sent : 0;
    }
}

ssize_t sliced_send_sendv(struct sliced_send *send, const struct iovec *parts,
                          size_t count, int flags)
{
    struct slice slice;
    ssize_t result;

    if (!send->on || count > SLICED_SEND_PARTS)
        return send_below(send, parts, count, flags);
    cut(send, &slice, parts, count);
    result = send_below(send, slice.parts, count,
                        flags | (slice.last ? 0 : MSG_MORE));
    if (result < 0 && (errno != EAGAIN || send->sent_unreported == 0))
        return result;
    if (result > 0)
        send->sent_unreported += (size_t)result;
    REQUIRE_WITH(result <= (ssize_t)slice.bytes, "%zd of %zu", result,
                 slice.bytes);
    if (slice.last || result < (ssize_t)slice.bytes) {
        result = (ssize_t)send->sent_unreported;
        send->sent_unreported = 0;
        return result;
    }
    if (send->sent_unreported >= send->gives_way_from)
        sched_yield();
    send->shared->progress++;
    errno = EINTR;
    return -1;
}
