/* One event, one line, one write. Text or JSON, escaped so that nothing a
 * client sends can start a line of its own.
 *
 * Any thread. A reader that stopped reading never stops the daemon: lines that
 * would block are dropped and counted. Events of LOG_WARNING and above come in
 * bursts when something is wrong, so they are limited to a rate. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/api.h"

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

struct log {
    int fd;               /* borrowed */
    atomic_uint levels;   /* a bit for each that is written */
    atomic_llong verbose; /* what is told of LOG_DEBUG: 0, or as it was set */
    atomic_bool json;
    bool may_block; /* fd is a pipe, socket or terminal */
    atomic_ullong dropped;
    pthread_mutex_t lock; /* guards what follows */
    int64_t second;       /* the one that is being counted */
    int in_second;        /* lines in it */
    uint64_t suppressed;  /* lines since the last one that was written */
};

/* A name and a value beside the message: text, or a number when text is NULL.
 * A NULL name ends the list. */
struct log_field {
    const char *name;
    const char *text;
    int64_t number;
};

void log_init(struct log *log, int fd, enum log_level level, bool json);
void log_free(struct log *log);

/* What is written, and what is from now on. Any thread. */
struct api_logging log_settings(struct log *log);
void log_set(struct log *log, const struct api_logging *settings);

bool log_wants(const struct log *log, enum log_level level);

/* Writes a line if `level` is wanted. */
void log_write(struct log *log, enum log_level level, const char *message,
               const struct log_field *fields);

/* The same with the fields in place:
 * log_event(log, LOG_INFO, "started", {"pid", NULL, 7}). */
#define log_event(log, level, message, ...)                                    \
    log_write(log, level, message,                                             \
              (const struct log_field[]){__VA_ARGS__, {NULL, NULL, 0}})

/* The same without fields. */
void log_message(struct log *log, enum log_level level, const char *message);

enum { LOG_LINE_SIZE = 4096 }; /* PIPE_BUF: a shorter write is never split */

/* Writes the line that log_write() would, with its newline, and returns its
 * length. `when_ms` is wall-clock time. */
size_t log_format(char line[LOG_LINE_SIZE], bool json, int64_t when_ms,
                  enum log_level level, const char *message,
                  const struct log_field *fields);
