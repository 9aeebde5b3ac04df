/* The one error type. The layer that detects an error fills it in; api/ maps it
 * to HTTP.
 *
 * A function that can fail returns bool (or a pointer) and has a `struct status
 * *` as its last parameter. The status is written on failure only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum status_code {
    STATUS_OK = 0,
    STATUS_INVALID,       /* the caller's input can never work */
    STATUS_MALFORMED,     /* the caller's bytes cannot be read at all */
    STATUS_NOT_FOUND,     /* operator, model or route does not exist */
    STATUS_NOT_SUPPORTED, /* defined, but not offered by this server */
    STATUS_TOO_LARGE,     /* exceeds a configured limit */
    STATUS_BUSY,          /* a limit of concurrency: the call may work later */
    STATUS_CANCELLED,     /* the caller has left or its time is up */
    STATUS_NO_MEMORY,
    STATUS_INTERNAL, /* our bug */
};

enum { STATUS_MESSAGE_SIZE = 320 };

struct status {
    enum status_code code;
    /* One sentence for the client: names argument, index, value and limit.
     * A longer text is cut by shorten(). */
    char message[STATUS_MESSAGE_SIZE];
};

/* Records a failure and returns false, so callers write
 * `return status_fail(st, STATUS_INVALID, "rank is %d", rank);` */
bool status_fail(struct status *st, enum status_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes a text of others, of `len` bytes, to `out` of `size` bytes, 8 or more,
 * so that the sentence around it is not lost: one that does not fit is cut at a
 * whole UTF-8 character and ends with "...". Returns `out`. */
const char *shorten(const char *text, size_t len, char *out, size_t size);
