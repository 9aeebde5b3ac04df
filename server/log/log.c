#include "server/log/log.h"

#include <poll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int64_t read_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool may_block(int fd)
{
    struct stat info;

    return fstat(fd, &info) == 0 && !S_ISREG(info.st_mode);
}

void log_init(struct log *log, int fd, enum log_level level, bool json)
{
    *log = (struct log){.fd = fd, .now_ms = read_clock};
    atomic_init(&log->levels, (2u << level) - 1);
    atomic_init(&log->verbose, level >= LOG_DEBUG);
    atomic_init(&log->json, json);
    atomic_init(&log->format, 0);
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

/* Writes how many lines of a kind were held back. */
static void emit_held_back(struct log *log, int64_t when_ms,
                           const struct log_kind *kind)
{
    struct log_field fields[] = {{"kind", kind->message, 0},
                                 {"count", NULL, (int64_t)kind->held_back},
                                 {NULL, NULL, 0}};

    emit(log, &(struct log_entry){when_ms, (enum log_level)kind->level,
                                  "lines were held back", fields});
}

/* True if the line may be written. Writes first what earlier seconds held
 * back. */
static bool admit(struct log *log, const struct log_entry *entry)
{
    int64_t second = entry->when_ms / 1000;
    struct log_kind kind;
    bool admitted;

    pthread_mutex_lock(&log->lock);
    while (log_limit_report(&log->limit, second, &kind))
        emit_held_back(log, entry->when_ms, &kind);
    admitted =
        log_limit_admit(&log->limit, (int)entry->level, entry->message, second);
    pthread_mutex_unlock(&log->lock);
    if (!admitted)
        atomic_fetch_add_explicit(&log->held_back, 1, memory_order_relaxed);
    return admitted;
}

void log_write(struct log *log, enum log_level level, const char *message,
               const struct log_field *fields)
{
    struct log_entry entry = {0, level, message, fields};

    if (!log_wants(log, level))
        return;
    entry.when_ms = log->now_ms();
    if (admit(log, &entry))
        emit(log, &entry);
}

void log_write_all(struct log *log, enum log_level level, const char *message,
                   const struct log_field *fields)
{
    if (log_wants(log, level))
        emit(log, &(struct log_entry){log->now_ms(), level, message, fields});
}

void log_message(struct log *log, enum log_level level, const char *message)
{
    static const struct log_field none[] = {{NULL, NULL, 0}};

    log_write(log, level, message, none);
}
