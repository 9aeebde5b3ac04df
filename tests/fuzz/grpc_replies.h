/* What a client has received on a connection of gRPC. All must be well formed:
 * what is wrong ends the process. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/fuzz/client.h"

enum { GRPC_REPLY_FIELDS = 1500 };

struct grpc_reply {
    uint32_t stream;
    int status;                     /* HTTP's; 0: there are no headers yet */
    int code;                       /* gRPC's; -1: there is none yet */
    bool ended;                     /* END_STREAM was received */
    bool reset;                     /* or RST_STREAM */
    char *data;                     /* owned: messages with their prefixes */
    size_t len;                     /* bytes */
    char fields[GRPC_REPLY_FIELDS]; /* "name: value\n" each */
};

struct grpc_replies {
    struct grpc_reply *all; /* owned; in the order of their first frames */
    size_t count;
    size_t left; /* bytes of a frame that is not whole */
};

/* Checks what the client has received so far. The caller frees. */
struct grpc_replies grpc_replies_read(const struct client *client);

/* The same when nothing more will come. */
struct grpc_replies grpc_replies_read_all(const struct client *client);

/* NULL: the stream has no reply. */
const struct grpc_reply *grpc_replies_find(const struct grpc_replies *replies,
                                           uint32_t stream);

void grpc_replies_free(struct grpc_replies *replies);
