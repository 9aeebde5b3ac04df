/* Writes bytes, or JSON, into memory: into a buffer of the caller, or one that
 * grows. The caller writes JSON's commas and brackets. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/core/tensor.h"

/* Starts as {.data, .size} of a buffer, or as {.grows = true}. */
struct writer {
    char *data; /* when `grows`, by realloc() and the caller's to free() */
    size_t len; /* bytes written */
    size_t size;
    bool grows;
    bool failed; /* out of memory, or past the caller's buffer */
};

/* Writes bytes for which there is no room. */
void writer_more(struct writer *w, const void *bytes, size_t len);

/* Inline, so that the compiler copies literals as words. */
static inline void writer_bytes(struct writer *w, const void *bytes, size_t len)
{
    if (w->failed || w->len + len > w->size) {
        writer_more(w, bytes, len);
        return;
    }
    if (len > 0)
        memcpy(w->data + w->len, bytes, len);
    w->len += len;
}

static inline void writer_text(struct writer *w, const char *text)
{
    writer_bytes(w, text, strlen(text));
}

/* Bytes that are not UTF-8 become U+FFFD. */
void writer_utf8(struct writer *w, const char *text, size_t len);

/* Write a quoted string, in which only what JSON demands is escaped, with
 * U+FFFD as in writer_utf8(). */
void json_write_string(struct writer *w, const char *text);
void json_write_string_bytes(struct writer *w, const char *text, size_t len);

/* The same in two passes, for many strings: the length of the quoted string,
 * false when `text` is not UTF-8; then its bytes, without a second look whether
 * they are. Returns their end. */
bool json_text_length(const unsigned char *text, size_t len, size_t *bytes);
char *json_text_write(const unsigned char *text, size_t len, char *out);

void json_write_int(struct writer *w, int64_t value);
void json_write_uint(struct writer *w, uint64_t value);

/* Writes `format`: "%s" is a quoted and escaped string, "%llu" an integer. No
 * other conversions, flags or widths. */
void json_write_print(struct writer *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes [2,3]. */
void json_write_shape(struct writer *w, const struct shape *shape);
