/* HTTP/2 as a client that costs little: it sends frames that were made before,
 * one request at a time on a connection, and reads of an answer's frames only
 * their heads. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LOAD_HTTP2_HEAD = 9,  /* bytes in front of each frame */
    LOAD_HTTP2_KEPT = 64, /* most bytes of a frame that is read */
    LOAD_HTTP2_CONTROL = 4096,
};

struct load_http2 {
    char *request;     /* owned: the frames, with the number of this stream */
    size_t len;        /* bytes of it */
    size_t allowed;    /* that fit into the windows: whole frames */
    uint32_t stream;   /* the request's */
    int64_t window;    /* bytes of data that the connection takes, */
    int64_t of_stream; /* and that the stream does */
    int64_t first_window; /* that a new stream does */

    /* Frames of ours that are not the request's: they go between two of it. */
    unsigned char control[LOAD_HTTP2_CONTROL];
    size_t control_len, control_sent;

    /* The frame that comes. */
    unsigned char head[LOAD_HTTP2_HEAD];
    unsigned char kept[LOAD_HTTP2_KEPT];
    size_t head_len, payload_len, payload_left;
    size_t unreported; /* bytes of data that no WINDOW_UPDATE has told of */

    size_t data_bytes; /* of the answer */
    bool whole;        /* it is */
};

/* Starts a connection, whose request are these frames of one stream; the number
 * of the stream is filled in here. False when they are no frames. */
bool load_http2_init(struct load_http2 *h2, const char *frames, size_t len);

/* Starts the next request. */
void load_http2_start(struct load_http2 *h2);

/* The bytes that can be sent now, *len of them, when `sent` bytes of the
 * request have been. NULL: none, a window is closed or all is sent. */
const void *load_http2_next(struct load_http2 *h2, size_t sent, size_t *len);

/* `len` bytes of those were sent; adds to *sent what the request has of them.
 */
void load_http2_sent(struct load_http2 *h2, size_t len, size_t *sent);

/* Takes what was received. False when the server has ended the stream or the
 * connection, or has sent something unexpected. */
bool load_http2_take(struct load_http2 *h2, const char *data, size_t len);
