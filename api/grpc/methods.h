/* The methods: how messages and HTTP's requests belong together. Private to
 * api/grpc. */
#pragma once

#include "api/base/writer.h"
#include "api/document/tree.h"
#include "api/grpc.h"
#include "api/grpc/tables.h"
#include "api/protobuf/protobuf.h"

enum {
    GRPC_REQUEST_FIELDS = 8, /* of a type, and more than any has */
    GRPC_MOST_FIELDS = 2000, /* of a type that has any, in all its depth */
    GRPC_MOST_ENTRIES = 100, /* of a map */
};

/* convert.c: messages to JSON and back, by their tables. */

/* The message of a request: the last of each field of its type, whose number is
 * 0 where it is absent. */
struct grpc_fields {
    const struct grpc_message *type;
    const unsigned char *message; /* borrowed */
    size_t len;
    struct protobuf_field last[GRPC_REQUEST_FIELDS];
};

/* Reads a message; `left` is of protobuf_read(). Fails with MALFORMED when it
 * cannot be read, or has text that is not UTF-8, with INVALID past `left`. */
bool grpc_read(const struct grpc_message *type, const unsigned char *message,
               size_t len, size_t *left, struct grpc_fields *fields,
               struct status *st);

/* The text of field `number`, empty where it is absent. */
struct protobuf_field grpc_text(const struct grpc_fields *fields,
                                uint32_t number);

/* The choice that comes last of a message's fields from index `first` on; -1
 * without one. */
int grpc_choice(const struct grpc_fields *fields, int first);

/* True if the message's only field is a map: then the map is the JSON. */
static inline bool grpc_is_map(const struct grpc_message *type)
{
    return type->count == 1 && type->fields[0].kind == GRPC_MAP;
}

/* The scalars as an object; or the map, whose values are messages with a choice
 * of scalars. Fails as grpc_read(), of a map. */
bool grpc_to_json(const struct grpc_fields *fields, struct writer *w,
                  struct status *st);

/* Writes an object's members that the message has as fields. A map may be an
 * array, of objects with names. A message's only field may be the whole JSON,
 * instead of a member. */
void grpc_from_json(const struct grpc_message *type,
                    const struct tree_value *json, struct writer *w);

/* reflection.c */

/* Writes the answer to a ServerReflectionRequest. */
void grpc_reflect(const struct grpc_fields *fields, struct writer *w);
