/* One line of the log before it is written. */
#pragma once

#include <stdint.h>

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

/* A name and a value that follow the message. The value is `text`, or `number`
 * when `text` is NULL. A NULL name ends a list of fields. */
struct log_field {
    const char *name;
    const char *text;
    int64_t number;
};

struct log_entry {
    int64_t when_ms; /* wall-clock time, milliseconds since 1970 */
    enum log_level level;
    const char *message;
    const struct log_field *fields;
};
