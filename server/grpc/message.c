#include "server/grpc/message.h"

#include <stdlib.h>
#include <string.h>

#include "server/clock/clock.h"

struct message *message_new(struct job_context *context,
                            const struct peer *peer, bool *allowance)
{
    struct message *message = calloc(1, sizeof(*message));

    if (!message)
        return NULL;
    if (*allowance) {
        *allowance = false;
        message->allowance = allowance;
        lease_init(&message->lease, &context->budget, peer);
    } else {
        lease_init_beside(&message->lease, &context->budget, peer);
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
    if (message->allowance)
        *message->allowance = true;
    free(message);
}
