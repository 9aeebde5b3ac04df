/* The table of methods: how messages and HTTP's requests belong together. */
#pragma once

#include "api/grpc.h"
#include "api/grpc/tables.h"

#define GRPC_INFERENCE "inference.GRPCInferenceService"

enum grpc_role {
    GRPC_INFER,
    GRPC_JSON,        /* the reply is the JSON of a message */
    GRPC_READY,       /* the same, and 503 is one too: not ready */
    GRPC_MODEL_READY, /* the same, and 404: an unknown model is not ready */
    GRPC_HEALTH,      /* of grpc.health.v1: of one service */
    GRPC_HEALTH_LIST, /* of all */
    GRPC_REFLECTION,
};

struct grpc_row {
    struct api_grpc_method method; /* first: a row is found by it */
    enum grpc_role role;
    const char *http; /* HTTP's method; POST: the message is the body */
    /* HTTP's path: {1} stands for the text of the message's field 1, and what
     * is in brackets is left out when that text is empty. */
    const char *path;
    const struct grpc_message *request, *response;
};

static inline const struct grpc_row *
grpc_row(const struct api_grpc_method *method)
{
    return (const struct grpc_row *)(const void *)method;
}
