/* Protocol Buffers' encoding. The reader goes from one field to the next,
 * without recursion and without memory of its own, and checks every length. The
 * caller of the writer writes the fields in the order of their numbers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "api/base/writer.h"
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
    uint32_t number;         /* 1 or more */
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

/* Reads a varint, and moves *at behind it. Bits past the 64th are dropped.
 * False when it is longer than ten bytes or does not end before `end`. */
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

/* Fails with MALFORMED when the field is not UTF-8; `where` is its name for
 * errors. */
bool protobuf_is_text(const struct protobuf_field *field, const char *where,
                      struct status *st);

/* The same for a text that may have no NUL: INVALID. */
bool protobuf_is_name(const struct protobuf_field *field, const char *where,
                      struct status *st);

static inline bool protobuf_text_is(const struct protobuf_field *field,
                                    const char *wanted)
{
    return strlen(wanted) == field->len &&
           memcmp(field->data, wanted, field->len) == 0;
}

void protobuf_write_varint(struct writer *w, uint64_t value);

/* Fields, also where their value is the default. */
void protobuf_write_number(struct writer *w, uint32_t field, uint64_t value);
void protobuf_write_bytes(struct writer *w, uint32_t field, const void *data,
                          size_t len);

/* A text that ends with a NUL. */
void protobuf_write_text(struct writer *w, uint32_t field, const char *text);

/* The head of a field of `len` bytes, which follow. */
void protobuf_write_head(struct writer *w, uint32_t field, size_t len);

/* A message, or a packed list, between the two: open() returns the mark that
 * close() takes. */
size_t protobuf_write_open(struct writer *w, uint32_t field);
void protobuf_write_close(struct writer *w, size_t mark);
