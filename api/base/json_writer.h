/* Writes JSON into memory: into a buffer of the caller, or one that grows. The
 * caller writes commas and brackets. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/core/tensor.h"

struct json_writer {
    char *data; /* owned when `grows`, else borrowed; NULL only measures */
    size_t len; /* bytes written, or measured */
    size_t size;
    bool grows;
    bool failed; /* out of memory, or past the caller's buffer */
};

/* Writes at most `size` bytes to `data`; measures when `data` is NULL. */
void json_writer_init(struct json_writer *w, char *data, size_t size);

/* Grows by realloc(); the caller frees w->data. */
void json_writer_grow(struct json_writer *w);

/* Writes text that is JSON already. */
void json_writer_bytes(struct json_writer *w, const char *text, size_t len);

/* Inline, so that the compiler computes the length of a literal. */
static inline void json_writer_raw(struct json_writer *w, const char *text)
{
    json_writer_bytes(w, text, strlen(text));
}

/* Write a quoted and escaped string; bytes that are not UTF-8 become U+FFFD. */
void json_writer_string(struct json_writer *w, const char *text);
void json_writer_string_bytes(struct json_writer *w, const char *text,
                              size_t len);

void json_writer_int(struct json_writer *w, int64_t value);
void json_writer_uint(struct json_writer *w, uint64_t value);

/* Writes `format`: "%s" is a quoted and escaped string, "%lld" and "%llu" are
 * integers. No other conversions, flags or widths. */
void json_writer_print(struct json_writer *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void json_writer_vprint(struct json_writer *w, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* Writes [2,3]. */
void json_writer_shape(struct json_writer *w, const struct shape *shape);
