/* The one error type. Every layer fills it in; api/ turns it into HTTP.
 *
 * A function that can fail returns bool (or a pointer) and takes a
 * `struct status *` last. The status is written on failure only. */
#pragma once

#include <stdbool.h>

enum status_code {
    STATUS_OK = 0,
    STATUS_INVALID,       /* the caller's input can never work */
    STATUS_NOT_FOUND,     /* no such operator, model or route */
    STATUS_NOT_SUPPORTED, /* known, and not offered here */
    STATUS_TOO_LARGE,     /* over a configured limit */
    STATUS_BUSY,          /* a bound is reached: the call may work later */
    STATUS_CANCELLED,     /* the caller is gone or its time is up */
    STATUS_NO_MEMORY,
    STATUS_INTERNAL, /* our bug */
};

enum { STATUS_MESSAGE_SIZE = 320 };

struct status {
    enum status_code code;
    /* One sentence for the client: names argument, index, value and limit.
     * A longer text is cut, always at a whole UTF-8 character. */
    char message[STATUS_MESSAGE_SIZE];
};

/* Records a failure and returns false, so callers write
 * `return status_fail(st, STATUS_INVALID, "rank is %d", rank);` */
bool status_fail(struct status *st, enum status_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Stable name for logs and tests: "INVALID", "BUSY", ... Static storage. */
const char *status_name(enum status_code code);
