/* Receives a large body of known length straight into its buffer.
 *
 * libmicrohttpd receives at most half of a connection's memory (16 KiB) at a
 * time and hands it on to be copied. While a large body comes in, its calls of
 * recv() end here instead: the bytes are received into the body, up to 256 KiB
 * in one call, and libmicrohttpd is only told their count, never more than it
 * asked for. It then hands on as many bytes without meaning, which
 * body_receive_skip() subtracts. As long as there are bytes that were not
 * reported to it, it gets full counts, so it calls again without waiting for
 * the socket (test_assumptions.c), and does not wait for events either
 * (engine_run()).
 *
 * The socket becomes readable (SO_RCVLOWAT) only when 256 KiB more of the body
 * have come, or the rest of it: each wake-up costs several system calls. That
 * saves 17 % of the processor time of a request of 1 MiB, 10 % of 16 MiB.
 *
 * A refused body comes in the same way, but the socket drops its bytes: so a
 * refusal costs little, and the connection can be kept.
 *
 * Loop thread only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/socket/transport.h"

enum { BODY_RECEIVE_MIN = 32 << 10 }; /* bytes; smaller bodies gain nothing */

/* The buffer that a body goes to. */
struct body_target {
    /* Memory for the next *size bytes, which it may lower; NULL when the body
     * is refused. The rest is then libmicrohttpd's, which hands it on as
     * usual. */
    unsigned char *(*reserve)(void *context, size_t *size);
    /* `size` bytes have been received there. */
    void (*received)(void *context, size_t size);
};

struct body_receive {
    const struct socket_layer *below; /* borrowed, as the next two: transport */
    const struct body_target *target;
    void *context;
    bool on;
    bool drops;                 /* the body is refused */
    size_t left;                /* bytes of the body that are to come */
    size_t received_unreported; /* in the body; libmicrohttpd was not told */
    size_t reported_unseen;     /* libmicrohttpd was told, and has not handed
                                 * them on */
    int rcvlowat;               /* of the socket; 0: never set */
    uint64_t received;          /* bytes since the connection was opened */
};

/* Takes over a body of `len` bytes, none of which has been handed on. All
 * fields of the target and `below` are set. */
void body_receive_start(struct body_receive *body, size_t len);

/* Drops the next `len` bytes of a refused body. Where the transport cannot
 * drop, does nothing: libmicrohttpd hands them on. */
void body_receive_drop(struct body_receive *body, size_t len);

/* As recv(), for libmicrohttpd. */
ssize_t body_receive_recv(struct body_receive *body, void *data, size_t size);

/* Leaves the rest of the body to libmicrohttpd; does nothing when it is off. */
void body_receive_stop(struct body_receive *body);

/* Stops and forgets the request's counts, at the request's end. */
void body_receive_reset(struct body_receive *body);

/* Of the next `len` bytes that libmicrohttpd hands on: how many, from the
 * first, are in the body already. The others are taken off those to come. */
size_t body_receive_skip(struct body_receive *body, size_t len);
