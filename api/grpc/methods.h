/* The methods: how messages and HTTP's requests belong together. Private to
 * api/grpc. */
#pragma once

#include "api/base/json_writer.h"
#include "api/document/tree.h"
#include "api/grpc.h"
#include "api/grpc/tables.h"
#include "api/protobuf/protobuf.h"

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

/* convert.c: messages to JSON and back, by their tables. */

enum {
    GRPC_REQUEST_FIELDS = 8, /* of a type, and more than any has */
    GRPC_MOST_FIELDS = 2000, /* of a message, in all its depth */
    GRPC_MOST_ENTRIES = 100, /* of a map */
};

/* True if the message's only field is a map: then the map is the JSON. */
static inline bool grpc_is_map(const struct grpc_message *type)
{
    return type->count == 1 && type->fields[0].kind == GRPC_MAP;
}

/* The message of a request: the last of each field of its type, whose number is
 * 0 where it is absent. */
struct grpc_fields {
    const struct grpc_message *type;
    const unsigned char *message; /* borrowed */
    size_t len;
    struct protobuf_field last[GRPC_REQUEST_FIELDS];
};

/* Fails with MALFORMED when the message cannot be read, or has text that is not
 * UTF-8. */
bool grpc_read(const struct grpc_message *type, const unsigned char *message,
               size_t len, struct grpc_fields *fields, struct status *st);

/* The text of field `number`, empty where it is absent. */
struct protobuf_text grpc_text(const struct grpc_fields *fields,
                               uint32_t number);

/* The scalars as an object; or the map, whose values are scalars or messages
 * with one choice. Fails as grpc_read(), of a map. */
bool grpc_to_json(const struct grpc_fields *fields, struct json_writer *w,
                  struct status *st);

/* Writes an object's members that the message has as fields. A map may be an
 * array, of objects with names. A message's only field may be the whole JSON,
 * instead of a member. */
void grpc_from_json(const struct grpc_message *type,
                    const struct tree_value *json, struct protobuf_writer *w);

/* services.c: health and reflection, whose answers are no JSON of HTTP. */

/* Makes `reply` a message, and takes over the writer's memory; 503 when it
 * lacked some. */
void grpc_reply_message(struct api_reply *reply, struct protobuf_writer *w);

/* api_grpc_request() for grpc.health.v1: asks whether the server is ready. */
bool grpc_health_request(const unsigned char *message, size_t len,
                         struct api_grpc_call *call,
                         struct api_request *request, struct api_reply *reply);

/* Makes `reply` the HealthCheckResponse of a state; static. */
void grpc_health_reply(bool known, bool ready, struct api_reply *reply);

/* The HealthListResponse, in which all services have the same state; static. */
void grpc_health_list_reply(bool ready, struct api_reply *reply);

/* Makes `reply` the answer to a ServerReflectionRequest. */
void grpc_reflect(const unsigned char *message, size_t len,
                  struct api_reply *reply);
