/* Messages to JSON and back, by their tables. Private to api/grpc. */
#pragma once

#include "api/base/json_writer.h"
#include "api/document/tree.h"
#include "api/grpc/tables.h"
#include "api/protobuf/text.h"
#include "api/protobuf/writer.h"

enum {
    GRPC_MOST_FIELDS = 2000, /* of a message, in all its depth */
    GRPC_MOST_ENTRIES = 100, /* of a map */
};

/* True if the message's only field is a map: then the map is the JSON. */
static inline bool grpc_is_map(const struct grpc_message *type)
{
    return type->count == 1 && type->fields[0].kind == GRPC_MAP;
}

/* The scalars of the message as an object; or its map, whose values are scalars
 * or messages with one choice. Fails with MALFORMED when it cannot be read, or
 * has text that is not UTF-8. */
bool grpc_to_json(const struct grpc_message *type, const unsigned char *message,
                  size_t len, struct json_writer *w, struct status *st);

/* The text of field `number`, empty where it is absent. Fails as
 * grpc_to_json(). */
bool grpc_text(const struct grpc_message *type, const unsigned char *message,
               size_t len, uint32_t number, struct protobuf_text *text,
               struct status *st);

/* Writes an object's members that the message has as fields. A map may be an
 * array, of objects with names. A message's only field may be the whole JSON,
 * instead of a member. */
void grpc_from_json(const struct grpc_message *type,
                    const struct tree_value *json, struct protobuf_writer *w);
