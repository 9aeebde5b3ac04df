/* A log whose text the test reads. */
#pragma once

#include <check.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "server/log/log.h"

static inline void log_text_start(struct log *log, enum log_level level)
{
    log_init(log, memfd_create("log", MFD_CLOEXEC), level, false);
}

/* The text since the start or the last call; it ends with the next one. */
static inline const char *log_text_take(const struct log *log)
{
    static char text[1 << 18];
    ssize_t len = pread(log->fd, text, sizeof(text) - 1, 0);

    ck_assert_int_ge(len, 0);
    text[len] = '\0';
    ck_assert_int_eq(ftruncate(log->fd, lseek(log->fd, 0, SEEK_SET)), 0);
    return text;
}

static inline int log_text_count(const char *text, const char *part)
{
    int count = 0;

    for (; (text = strstr(text, part)); text++)
        count++;
    return count;
}
