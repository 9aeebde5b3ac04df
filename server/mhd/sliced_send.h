/* Sends a large reply in slices, so that the loop's other connections are
 * served between them.
 *
 * libmicrohttpd gives a whole reply to one system call, which goes on for as
 * long as the client makes room: tens of megabytes at a time. Here one slice is
 * sent, and libmicrohttpd is told that the call was interrupted (EINTR), so it
 * calls again in its next round with the same bytes. It is told the count once
 * the socket is full, for only then does the kernel announce new room, or once
 * everything is sent.
 *
 * Loop thread only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/socket/transport.h"

enum {
    SLICED_SEND_BYTES = 1 << 20, /* of one system call; replies up to here are
                                  * sent whole */
    SLICED_SEND_PARTS = 8,       /* at most, of a reply with its header */

    /* Larger replies are sent in smaller slices, and the thread yields after
     * each: other threads wait for one slice, not for all. That costs replies
     * of 16 MiB a tenth of their rate, too much for replies up to that size. */
    SLICED_SEND_LARGE = 32 << 20,
    SLICED_SEND_SMALL_BYTES = 256 << 10,
};

/* The state shared by the connections of one engine. */
struct io_shared {
    /* Counts progress: calls of the request handlers and sent slices. */
    uint64_t progress;
    uint64_t rounds;        /* of libmicrohttpd, with the present one */
    uint64_t *handshake_ns; /* borrowed: of all handshakes */
    bool stopping;          /* the engine closes all connections */
    /* libmicrohttpd was not told of all bytes of a body that were received: it
     * skips its next epoll_wait(). */
    bool has_unreported;
};

struct sliced_send {
    const struct socket_layer *below; /* borrowed: the transport */
    struct io_shared *shared;         /* borrowed */
    bool on;
    size_t slice;           /* bytes of a system call */
    size_t gives_way_from;  /* unreported bytes */
    size_t sent_unreported; /* libmicrohttpd was not told */
    uint64_t sent;          /* bytes since the connection was opened */
    uint64_t body_from;     /* `sent` at the first byte of a reply's body; 0: no
                             * reply has begun */
};

/* Notes that the next bytes are the head of a reply, and perhaps more of it. */
void sliced_send_begin(struct sliced_send *send, const char *text, size_t len);

/* Bytes of that reply's body that the system has taken. */
uint64_t sliced_send_body(const struct sliced_send *send);

/* Sends the last reply of a connection past libmicrohttpd, whole, even behind
 * others that fill the socket `fd`, where net.core.wmem_max is above what these
 * take: behind a reply for which the kernel sized the buffer it may be less. */
void sliced_send_now(struct sliced_send *send, int fd, const char *data,
                     size_t len);

/* Takes over a reply with a body of `len` bytes, before libmicrohttpd sends any
 * of it. */
void sliced_send_start(struct sliced_send *send, size_t len);

/* As sendmsg(), for libmicrohttpd. */
ssize_t sliced_send_sendv(struct sliced_send *send, const struct iovec *parts,
                          size_t count, int flags);

/* Leaves replies to libmicrohttpd; does nothing when it is off. */
void sliced_send_stop(struct sliced_send *send);
