/* Writes JSON into memory: into a buffer that the caller gives, or one that
 * grows. Commas and brackets are the caller's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/core/tensor.h"

struct json_writer {
    char *data; /* owned when `grows`, else borrowed; NULL only counts */
    size_t len; /* bytes written, or that would have been */
    size_t size;
    bool grows;
    bool failed; /* out of memory, or past the caller's buffer */
};

/* Writes at most `size` bytes to `data`; a NULL `data` measures. */
void json_writer_init(struct json_writer *w, char *data, size_t size);

/* Grows by malloc; free(w->data) ends it. */
void json_writer_grow(struct json_writer *w);

/* Text that is JSON already. */
void json_writer_bytes(struct json_writer *w, const char *text, size_t len);

/* Inline, so that the length of a literal is known when it is compiled. */
static inline void json_writer_raw(struct json_writer *w, const char *text)
{
    json_writer_bytes(w, text, strlen(text));
}

/* A quoted and escaped string. What is not UTF-8 becomes U+FFFD. */
void json_writer_string(struct json_writer *w, const char *text);
void json_writer_string_bytes(struct json_writer *w, const char *text,
                              size_t len);

void json_writer_int(struct json_writer *w, int64_t value);
void json_writer_uint(struct json_writer *w, uint64_t value);

/* [2,3] */
void json_writer_shape(struct json_writer *w, const struct shape *shape);
