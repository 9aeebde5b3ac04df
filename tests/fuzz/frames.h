/* What clients of gRPC send: frames of HTTP/2, header blocks, messages. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum frames_type {
    FRAMES_DATA,
    FRAMES_HEADERS,
    FRAMES_PRIORITY,
    FRAMES_RST_STREAM,
    FRAMES_SETTINGS,
    FRAMES_PUSH_PROMISE,
    FRAMES_PING,
    FRAMES_GOAWAY,
    FRAMES_WINDOW_UPDATE,
    FRAMES_CONTINUATION,
};

enum {
    FRAMES_HEAD = 9,       /* bytes in front of a payload */
    FRAMES_PREFIX = 5,     /* bytes in front of a message */
    FRAMES_END_STREAM = 1, /* of DATA and HEADERS */
    FRAMES_ACK = 1,        /* of SETTINGS and PING */
    FRAMES_END_HEADERS = 4,
    FRAMES_SIZE = 16384, /* of a payload, which every server takes */
    FRAMES_MOST = 1 << 20,
};

struct frame {
    enum frames_type type;
    unsigned flags;
    uint32_t stream;
    const void *payload; /* borrowed */
    size_t len;
};

struct frames_message {
    const void *data; /* borrowed */
    size_t len;
    unsigned flag; /* of the prefix */
    bool whole;    /* in one frame; otherwise in those of FRAMES_SIZE bytes */
    bool ends;     /* END_STREAM */
};

/* Bytes that are to be sent, one after the other. What does not fit is left
 * out. */
struct frames {
    char data[FRAMES_MOST];
    size_t len;
};

/* What a header block has beside the fields of every call. */
enum frames_field {
    FRAMES_ENDS = 1,    /* END_STREAM: no messages follow */
    FRAMES_SPLIT = 2,   /* one half is in a CONTINUATION */
    FRAMES_GZIP = 4,    /* grpc-encoding */
    FRAMES_TIMEOUT = 8, /* 10 ms */
    FRAMES_KEYS = 16,   /* what WORLD_GUARDED wants to see */
    FRAMES_PLAIN = 32,  /* another content-type than gRPC's */
    FRAMES_ECHOES = 64, /* what a reply answers */
    FRAMES_LONG = 128,  /* a field that is longer than a list may be */
};

void frames_put(struct frames *frames, const void *data, size_t len);

/* The start of a connection: the preface, SETTINGS, windows that never close,
 * and the ACK of the server's SETTINGS, which hold from then on. */
void frames_open(struct frames *frames);

void frames_add(struct frames *frames, const struct frame *frame);

/* A call's headers: `fields` is a sum of enum frames_field. */
void frames_add_headers(struct frames *frames, uint32_t stream,
                        const char *path, unsigned fields);

/* A header block of these names and values alone, but for those without. */
void frames_add_fields(struct frames *frames, uint32_t stream,
                       const char *fields[][2], size_t count);

/* A message, with its prefix. */
void frames_add_message(struct frames *frames, uint32_t stream,
                        const struct frames_message *message);

/* Element `i` of the tensor that frames_infer() sends. */
unsigned char frames_value(size_t i);

/* Writes a ModelInferRequest for `count` elements, all of which are to be
 * reversed: raw, or in typed contents. Returns its length, less than 4 * count
 * + 200. */
size_t frames_infer(char *message, size_t count, bool raw);
