/* The messages as tables, of the .proto files by cmake/grpc_tables.py. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers stand in front of TEXT. */
enum grpc_kind {
    GRPC_BOOL,
    GRPC_INT, /* with a sign */
    GRPC_UINT,
    GRPC_ENUM, /* in JSON: its name */
    GRPC_TEXT,
    GRPC_BYTES,
    GRPC_MESSAGE, /* an object */
    GRPC_MAP,     /* `message` is that of its entries: key and value */
};

struct grpc_enum {
    const char *name; /* NULL ends the list */
    int value;
};

struct grpc_field {
    const char *name; /* in JSON too */
    uint32_t number;
    enum grpc_kind kind;
    bool repeated;                      /* a map is as well */
    const struct grpc_message *message; /* MESSAGE and MAP */
    const struct grpc_enum *names;      /* ENUM */
};

struct grpc_message {
    const struct grpc_field *fields;
    int count;
};

/* The requests of services whose replies are no JSON. */
extern const struct grpc_message grpc_HealthCheckRequest,
    grpc_HealthListRequest, grpc_ServerReflectionRequest;

/* A .proto file: the message FileDescriptorProto. */
struct grpc_file {
    const char *name; /* NULL ends the list */
    const unsigned char *data;
    size_t len;
    int imports; /* index of the one that it imports, or -1 */
};

extern const struct grpc_file grpc_files[];

/* A message, enum, service or method by its full name; sorted by that. */
struct grpc_symbol {
    const char *name; /* NULL ends the list */
    int file;         /* index in grpc_files */
};

extern const struct grpc_symbol grpc_symbols[];

extern const char *const grpc_services[]; /* NULL ends the list */
