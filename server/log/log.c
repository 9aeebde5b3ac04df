#include "server/log/log.h"

#include <poll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Warnings and errors per second: a client that provokes one at every request
 * must not hide the other lines. */
enum { BURST_PER_SECOND = 20 };

static bool may_block(int fd)
{
    struct stat info;

    return fstat(fd, &info) == 0 && !S_ISREG(info.st_mode);
}

void log_init(struct log *log, int fd, enum log_level level, bool json)
{
    *log = (struct log){.fd = fd};
    atomic_init(&log->levels, (2u << level) - 1);
    atomic_init(&log->verbose, level >= LOG_DEBUG);
    atomic_init(&log->json, json);
    log->may_block = may_block(fd);
    pthread_mutex_init(&log->lock, NULL);
}

void log_free(struct log *log)
{
    pthread_mutex_destroy(&log->lock);
}

bool log_wants(const struct log *log, enum log_level level)
{
    return atomic_load_explicit(&log->levels, memory_order_relaxed) &
           1u << level;
}

/* True if a warning or error may be written in this second; `suppressed` is
 * then the number of lines left out before it. */
static bool admit(struct log *log, int64_t second, uint64_t *suppressed)
{
    bool admitted;

    pthread_mutex_lock(&log->lock);
    if (second != log->second) {
        log->second = second;
        log->in_second = 0;
    }
    admitted = log->in_second < BURST_PER_SECOND;
    log->in_second += admitted;
    log->suppressed += !admitted;
    *suppressed = admitted ? log->suppressed : 0;
    if (admitted)
        log->suppressed = 0;
    pthread_mutex_unlock(&log->lock);
    return admitted;
}

static void emit(struct log *log, const struct log_entry *entry)
{
    char line[LOG_LINE_SIZE];
    struct pollfd ready = {.fd = log->fd, .events = POLLOUT};
    size_t len = log_format(line, atomic_load(&log->json), entry);

    /* A pipe that poll() reports as writable has space for PIPE_BUF bytes. */
    if (log->may_block &&
        (poll(&ready, 1, 0) != 1 || !(ready.revents & POLLOUT)))
        atomic_fetch_add_explicit(&log->dropped, 1, memory_order_relaxed);
    else if (write(log->fd, line, len) != (ssize_t)len)
        atomic_fetch_add_explicit(&log->dropped, 1, memory_order_relaxed);
}

/* Writes a warning with the number of lines that were left out. */
static void emit_suppressed(struct log *log, int64_t when_ms, uint64_t count)
{
    struct log_field fields[] = {{"count", NULL, (int64_t)count},
                                 {NULL, NULL, 0}};

    emit(log, &(struct log_entry){when_ms, LOG_WARNING, "lines were held back",
                                  fields});
}

void log_write(struct log *log, enum log_level level, const char *message,
               const struct log_field *fields)
{
    struct timespec now;
    struct log_entry entry = {0, level, message, fields};
    uint64_t suppressed = 0;

    if (!log_wants(log, level))
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    entry.when_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    if (level <= LOG_WARNING && !admit(log, now.tv_sec, &suppressed))
        return;
    if (suppressed > 0)
        emit_suppressed(log, entry.when_ms, suppressed);
    emit(log, &entry);
}

void log_message(struct log *log, enum log_level level, const char *message)
{
    static const struct log_field none[] = {{NULL, NULL, 0}};

    log_write(log, level, message, none);
}
