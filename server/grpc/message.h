/* A message on its way in: its prefix, and the bytes, which a body collects in
 * one buffer; and the backlog of a stream, the bytes of the messages behind.
 * Loop thread only, but for the lease of a message that a worker has. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/grpc/framing.h"
#include "server/limits/lease.h"
#include "server/message/body.h"

struct message {
    struct lease lease; /* of all that the message and its reply hold, and of
                         * the struct, but for that with the allowance */
    struct body body;
    unsigned char prefix[FRAMING_PREFIX];
    unsigned prefix_len;
    struct framing_prefix framing; /* once the prefix is whole */
    bool *allowance; /* of the connection, which this message has; or NULL */
    uint64_t arrived_ns; /* its first byte */
};

/* `allowance`: true while the connection's own bytes (lease.h) are free. NULL
 * without memory, or where the budget has none. */
struct message *message_new(struct job_context *context,
                            const struct peer *peer, bool *allowance);

/* Reads bytes of the prefix; returns how many. */
size_t message_read_prefix(struct message *message, const unsigned char *data,
                           size_t len);

static inline bool message_has_prefix(const struct message *message)
{
    return message->prefix_len == FRAMING_PREFIX;
}

static inline size_t message_missing(const struct message *message)
{
    return message->framing.length - message->body.len;
}

static inline bool message_is_whole(const struct message *message)
{
    return message_has_prefix(message) && message_missing(message) == 0;
}

/* NULL is allowed. */
void message_free(struct message *message);

/* Bytes as they came. Messages that wait by the ten thousand, each a struct of
 * its own, would take fifty times their bytes, and leave the heap in fragments.
 */
struct backlog {
    struct buffer buffer; /* owned */
    size_t from, end;     /* of its bytes, those that are not taken yet */
};

/* Appends a copy. False if the lease has no room for it, or the memory. */
bool backlog_add(struct backlog *backlog, struct job_context *context,
                 struct lease *lease, const void *data, size_t len);

/* Frees the bytes, and what was leased for them. */
void backlog_free(struct backlog *backlog, struct job_context *context,
                  struct lease *lease);
