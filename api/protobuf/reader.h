/* Reads the fields of a message, one after the other, without recursion and
 * without memory of its own. Every length is checked; what a caller does not
 * know it passes over. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/status.h"

enum protobuf_type {
    PROTOBUF_VARINT = 0,
    PROTOBUF_FIXED64 = 1,
    PROTOBUF_BYTES = 2, /* text, bytes, a message, a packed list */
    PROTOBUF_GROUP = 3, /* passed over by protobuf_next() */
    PROTOBUF_GROUP_END = 4,
    PROTOBUF_FIXED32 = 5,
};

enum { PROTOBUF_MAX_GROUPS = 100 }; /* one in the other */

struct protobuf_field {
    uint32_t number;
    enum protobuf_type type; /* none of the groups */
    uint64_t value;          /* VARINT, FIXED32 and FIXED64 */
    /* BYTES: borrowed from the message. The others: their encoding. */
    const unsigned char *data;
    size_t len;
};

struct protobuf_reader {
    const unsigned char *at, *end;
    const unsigned char *start; /* of the whole message, for errors */
    size_t *left;      /* fields that may still be read, those passed over too;
                        * shared by the readers of one message */
    const char *fault; /* why reading ended early; NULL: it did not */
};

/* `data` may be NULL for a message without bytes, as of an absent field. */
static inline struct protobuf_reader protobuf_read(const unsigned char *data,
                                                   size_t len, size_t *left)
{
    const unsigned char *end = len > 0 ? data + len : data;

    return (struct protobuf_reader){data, end, data, left, NULL};
}

/* The same for a field that is a message; `outer` gives the rest. */
static inline struct protobuf_reader
protobuf_enter(const struct protobuf_reader *outer,
               const struct protobuf_field *field)
{
    return (struct protobuf_reader){field->data, field->data + field->len,
                                    outer->start, outer->left, NULL};
}

/* Reads the next field. False at the end, and where the message is malformed:
 * then reader->fault is set. */
bool protobuf_next(struct protobuf_reader *reader,
                   struct protobuf_field *field);

/* True if the reader has come to the end. Otherwise fails with MALFORMED, or
 * INVALID for too many fields: the byte where reading ended, counted in the
 * whole message, and the reason. */
bool protobuf_end(const struct protobuf_reader *reader, struct status *st);

/* Reads a varint of at most ten bytes, and moves *at behind it. Bits past the
 * 64th are dropped. False when it is longer or does not end before `end`. */
bool protobuf_varint(const unsigned char **at, const unsigned char *end,
                     uint64_t *value);

/* Numbers of one byte, most of all numbers, inline. */
static inline bool protobuf_number(const unsigned char **at,
                                   const unsigned char *end, uint64_t *value)
{
    if (*at >= end || **at >= 0x80)
        return protobuf_varint(at, end, value);
    *value = *(*at)++;
    return true;
}
