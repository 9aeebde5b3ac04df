#include "server/grpc/message.h"

#include <stdlib.h>
#include <string.h>

#include "server/base/clock.h"

/* Bytes that a message takes beside its body: the struct, and what the heap
 * adds to two blocks. */
enum { MESSAGE_COST = sizeof(struct message) + 64 };

enum { BACKLOG_FIRST = 4 << 10 }; /* bytes; doubled as they come */

/* The first message of a connection is a part of what that costs. */
static bool init_lease(struct message *message, struct budget *budget,
                       const struct peer *peer, bool *allowance)
{
    if (*allowance) {
        *allowance = false;
        message->allowance = allowance;
        lease_init(&message->lease, budget, peer);
        return true;
    }
    lease_init_beside(&message->lease, budget, peer);
    return lease_take(&message->lease, MESSAGE_COST) == LEASE_OK;
}

struct message *message_new(struct job_context *context,
                            const struct peer *peer, bool *allowance)
{
    struct message *message = calloc(1, sizeof(*message));

    if (!message)
        return NULL;
    if (!init_lease(message, &context->budget, peer, allowance)) {
        free(message);
        return NULL;
    }
    body_init(&message->body, context, &message->lease);
    message->arrived_ns = clock_now_ns();
    return message;
}

size_t message_read_prefix(struct message *message, const unsigned char *data,
                           size_t len)
{
    size_t missing = FRAMING_PREFIX - message->prefix_len;
    size_t part = len < missing ? len : missing;

    memcpy(message->prefix + message->prefix_len, data, part);
    message->prefix_len += (unsigned)part;
    if (message_has_prefix(message))
        message->framing = framing_read(message->prefix);
    return part;
}

void message_free(struct message *message)
{
    if (!message)
        return;
    body_free(&message->body);
    lease_give(&message->lease, message->lease.held);
    if (message->allowance)
        *message->allowance = true;
    free(message);
}

static void remove_taken(struct backlog *backlog)
{
    backlog->end -= backlog->from;
    memmove(backlog->buffer.data, backlog->buffer.data + backlog->from,
            backlog->end);
    backlog->from = 0;
}

static bool grow(struct backlog *backlog, struct job_context *context,
                 struct lease *lease, size_t needed)
{
    struct buffer *buffer = &backlog->buffer;
    size_t before = buffer->capacity, size = before ? before : BACKLOG_FIRST;

    while (size < needed)
        size *= 2;
    if (size == before)
        return true;
    if (lease_take(lease, size - before) != LEASE_OK)
        return false;
    if (buffer_pool_grow(&context->buffer_pool, buffer, backlog->end, size))
        return true;
    lease_give(lease, size - before);
    return false;
}

bool backlog_add(struct backlog *backlog, struct job_context *context,
                 struct lease *lease, const void *data, size_t len)
{
    if (backlog->from > backlog->end / 2)
        remove_taken(backlog);
    if (!grow(backlog, context, lease, backlog->end + len))
        return false;
    memcpy(backlog->buffer.data + backlog->end, data, len);
    backlog->end += len;
    return true;
}

void backlog_free(struct backlog *backlog, struct job_context *context,
                  struct lease *lease)
{
    lease_give(lease, backlog->buffer.capacity);
    buffer_pool_put(&context->buffer_pool, &backlog->buffer);
    *backlog = (struct backlog){.from = 0};
}
