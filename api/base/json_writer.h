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
    char *data;  /* a buffer of the caller; with `grows` at first NULL */
    size_t size; /* of the buffer, at first 0 with `grows` */
    bool grows;  /* by realloc(); the caller frees `data` */
    size_t len;  /* bytes written, at first 0 */
    bool failed; /* out of memory, or past the caller's buffer */
};

/* Writes text for which there is no room. */
void json_writer_more(struct json_writer *w, const char *text, size_t len);

/* Write text that is JSON already. Inline, so that the compiler copies literals
 * as words. */
static inline void json_writer_bytes(struct json_writer *w, const char *text,
                                     size_t len)
{
    if (w->failed || w->len + len > w->size) {
        json_writer_more(w, text, len);
        return;
    }
    if (len > 0)
        memcpy(w->data + w->len, text, len);
    w->len += len;
}

static inline void json_writer_raw(struct json_writer *w, const char *text)
{
    json_writer_bytes(w, text, strlen(text));
}

/* Write a quoted string, in which only what JSON demands is escaped. Bytes that
 * are not UTF-8 become U+FFFD. */
void json_writer_string(struct json_writer *w, const char *text);
void json_writer_string_bytes(struct json_writer *w, const char *text,
                              size_t len);

/* The same in two passes, for many strings: the length of the quoted string,
 * false when `text` is not UTF-8; then its bytes, without a second look whether
 * they are. Returns their end. */
bool json_text_length(const unsigned char *text, size_t len, size_t *bytes);
char *json_text_write(const unsigned char *text, size_t len, char *out);

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
