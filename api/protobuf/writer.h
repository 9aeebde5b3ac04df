/* Writes the fields of a message into memory: into a buffer of the caller, or
 * one that grows. The caller writes them in the order of their numbers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct protobuf_writer {
    unsigned char *data; /* owned when `grows`, else borrowed; NULL measures */
    size_t len;          /* bytes written, or measured */
    size_t size;
    bool grows;
    bool failed; /* out of memory, or past the caller's buffer */
};

/* Writes at most `size` bytes to `data`; measures when `data` is NULL. */
void protobuf_writer_init(struct protobuf_writer *w, unsigned char *data,
                          size_t size);

/* Grows by realloc(); the caller frees w->data. */
void protobuf_writer_grow(struct protobuf_writer *w);

void protobuf_write_raw(struct protobuf_writer *w, const void *data,
                        size_t len);
void protobuf_write_varint(struct protobuf_writer *w, uint64_t value);

/* Fields, also where their value is the default. */
void protobuf_write_number(struct protobuf_writer *w, uint32_t field,
                           uint64_t value);
void protobuf_write_double(struct protobuf_writer *w, uint32_t field,
                           double value);
void protobuf_write_bytes(struct protobuf_writer *w, uint32_t field,
                          const void *data, size_t len);

/* A text that ends with a NUL. */
void protobuf_write_text(struct protobuf_writer *w, uint32_t field,
                         const char *text);

/* The head of a field of `len` bytes, which follow. */
void protobuf_write_head(struct protobuf_writer *w, uint32_t field, size_t len);

/* A message, or a packed list, between the two: open() returns the mark that
 * close() takes. */
size_t protobuf_write_open(struct protobuf_writer *w, uint32_t field);
void protobuf_write_close(struct protobuf_writer *w, size_t mark);
