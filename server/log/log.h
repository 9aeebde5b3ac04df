/* The log: each event is one line, written by one write(). Lines are text or
 * JSON, escaped so that bytes from a client cannot start a line of their own.
 *
 * Any thread. A reader that has stopped reading does not block the daemon: a
 * line whose write would block is dropped and counted. Of each kind of line, 20
 * a second are written, because a fault can repeat at every request; the number
 * of the suppressed ones is logged later, with the next line. Lines that were
 * asked for, one for each request, have no other limit than their reader. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LOG_LIMIT_PER_SECOND = 20, /* lines of one kind: one level and message */
    LOG_LIMIT_KINDS = 40,      /* the last one is shared by all further ones */
    LOG_LIMIT_NAME = 48,       /* bytes of a message that are compared */
};

struct log_kind {
    char message[LOG_LIMIT_NAME]; /* with its NUL; longer ones are cut */
    int level;
    int64_t second;     /* that in_second counts */
    int in_second;      /* lines written in that second */
    uint64_t held_back; /* lines left out and not yet reported */
};

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

struct log {
    int fd; /* borrowed */
    /* The settings, which the logging route reads and writes. */
    atomic_uint levels; /* bit 1 << enum log_level: those lines are written */
    atomic_ullong verbose; /* a client's level of debug lines; 0: none */
    atomic_bool json;      /* format of the lines; false: text */
    atomic_uint format;    /* the name by which a client has set it; 0: none */
    bool may_block;        /* fd is a pipe, socket or terminal */
    atomic_ullong dropped;
    atomic_ullong held_back; /* lines past the limit of their kind */
    int64_t (*now_ms)(void); /* wall-clock time, milliseconds since 1970 */
    pthread_mutex_t lock;    /* guards the fields below */
    /* They keep one kind, which may repeat at every request, from filling the
     * log and hiding the others. */
    int kind_count;
    struct log_kind kinds[LOG_LIMIT_KINDS];
};

/* `fd` stays the caller's; it must be open as long as the log is used. */
void log_init(struct log *log, int fd, enum log_level level, bool json);

/* True if lines of this level are written. */
bool log_wants(const struct log *log, enum log_level level);

/* A name and a value that follow the message. The value is `text`, of which
 * `number` bytes at most if that is not 0, or `number` when `text` is NULL. A
 * NULL name ends a list of fields. */
struct log_field {
    const char *name;
    const char *text;
    int64_t number;
};

/* Writes a line if the level is enabled. */
void log_write(struct log *log, enum log_level level, const char *message,
               const struct log_field *fields);

/* log_write() without the limit: for lines that the operator asked for. */
void log_write_all(struct log *log, enum log_level level, const char *message,
                   const struct log_field *fields);

/* log_write() with the fields as arguments:
 * log_event(log, LOG_INFO, "started", {"pid", NULL, 7}). */
#define log_event(log, level, message, ...)                                    \
    log_write(log, level, message,                                             \
              (const struct log_field[]){__VA_ARGS__, {NULL, NULL, 0}})

/* log_write() without fields. */
#define log_message(log, level, message)                                       \
    log_write(log, level, message, (const struct log_field[]){{NULL, NULL, 0}})

enum { LOG_LINE_SIZE = 4096 }; /* PIPE_BUF: a write up to it is not split */
