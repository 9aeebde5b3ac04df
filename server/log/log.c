#include "server/log/log.h"

#include <inttypes.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* One line before it is written. */
struct entry {
    int64_t when_ms;
    enum log_level level;
    const char *message;
    const struct log_field *fields;
};

/* The line under construction. Text that does not fit is left out; `limit`
 * keeps CLOSING bytes free for the closing characters. */
struct line {
    char *text;
    size_t len, limit;
};

enum { CLOSING = 4 }; /* quote, brace, newline, NUL */

static const char *const names[] = {"error", "warning", "info", "debug"};

static bool add_text(struct line *line, const char *text)
{
    size_t len = strlen(text);

    if (line->len + len > line->limit)
        return false;
    memcpy(line->text + line->len, text, len);
    line->len += len;
    return true;
}

/* Printable ASCII is copied; any other byte becomes \xNN in text and \u00NN in
 * JSON. A line thus has no control characters, and JSON is valid even when the
 * bytes are not UTF-8. */
static void add_escaped(struct line *line, bool json, const char *text,
                        size_t most)
{
    for (; *text && most > 0; text++, most--) {
        unsigned char c = (unsigned char)*text;
        char escaped[8];

        if (c == '"' || c == '\\')
            snprintf(escaped, sizeof(escaped), "\\%c", c);
        else if (c >= 0x20 && c < 0x7f)
            snprintf(escaped, sizeof(escaped), "%c", c);
        else
            snprintf(escaped, sizeof(escaped), json ? "\\u%04x" : "\\x%02x", c);
        if (!add_text(line, escaped))
            return;
    }
}

/* A text value without space, quote, backslash and '=' needs no quotes. */
static bool is_word(const char *text)
{
    return *text && !text[strcspn(text, " \"\\=")];
}

static void add_time(struct line *line, int64_t when_ms)
{
    time_t seconds = (time_t)(when_ms / 1000);
    struct tm tm;
    char text[40];

    gmtime_r(&seconds, &tm);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
    add_text(line, text);
    snprintf(text, sizeof(text), ".%03dZ", (int)(when_ms % 1000));
    add_text(line, text);
}

static void add_value(struct line *line, bool json,
                      const struct log_field *field)
{
    char number[24];
    bool quoted = field->text && (json || !is_word(field->text));

    if (!field->text) {
        snprintf(number, sizeof(number), "%" PRId64, field->number);
        add_text(line, number);
        return;
    }
    if (quoted)
        add_text(line, "\"");
    add_escaped(line, json, field->text,
                field->number > 0 ? (size_t)field->number : SIZE_MAX);
    if (quoted)
        line->text[line->len++] = '"'; /* within CLOSING */
}

static void add_field(struct line *line, bool json,
                      const struct log_field *field)
{
    size_t start = line->len;

    if (add_text(line, json ? ",\"" : " ") && add_text(line, field->name) &&
        add_text(line, json ? "\":" : "=") && line->len + 24 <= line->limit)
        add_value(line, json, field);
    else
        line->len = start;
}

/* Writes the line with its newline and returns its length. A field that does
 * not fit is left out; a value that does not fit is shortened. */
static size_t format(char text[LOG_LINE_SIZE], bool json,
                     const struct entry *entry)
{
    struct line line = {text, 0, LOG_LINE_SIZE - CLOSING};

    add_text(&line, json ? "{\"time\":\"" : "");
    add_time(&line, entry->when_ms);
    add_text(&line, json ? "\",\"level\":\"" : " ");
    add_text(&line, names[entry->level]);
    add_text(&line, json ? "\",\"message\":\"" : " ");
    /* The message gets half of the line, the fields have the rest. */
    line.limit /= 2;
    add_escaped(&line, json, entry->message, SIZE_MAX);
    line.limit = LOG_LINE_SIZE - CLOSING;
    add_text(&line, json ? "\"" : "");
    for (const struct log_field *field = entry->fields; field->name; field++)
        add_field(&line, json, field);
    memcpy(text + line.len, json ? "}\n" : "\n", json ? 3 : 2);
    return line.len + (json ? 2 : 1);
}

static struct log_kind *find(struct log *log, int level, const char *message)
{
    struct log_kind *kind = log->kinds;

    for (int i = 0; i < log->kind_count; i++, kind++)
        if (kind->level == level &&
            strncmp(kind->message, message, LOG_LIMIT_NAME - 1) == 0)
            return kind;
    if (log->kind_count == LOG_LIMIT_KINDS)
        return kind - 1;
    log->kind_count++;
    *kind = (struct log_kind){.level = level};
    strncpy(kind->message, message, LOG_LIMIT_NAME - 1);
    return kind;
}

static int64_t read_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void log_init(struct log *log, int fd, enum log_level level, bool json)
{
    struct stat info;

    *log = (struct log){.fd = fd, .now_ms = read_clock};
    atomic_init(&log->levels, (2u << level) - 1);
    atomic_init(&log->verbose, level >= LOG_DEBUG);
    atomic_init(&log->json, json);
    log->may_block = fstat(fd, &info) == 0 && !S_ISREG(info.st_mode);
    pthread_mutex_init(&log->lock, NULL);
}

bool log_wants(const struct log *log, enum log_level level)
{
    return atomic_load_explicit(&log->levels, memory_order_relaxed) &
           1u << level;
}

static void emit(struct log *log, const struct entry *entry)
{
    char line[LOG_LINE_SIZE];
    struct pollfd ready = {.fd = log->fd, .events = POLLOUT};
    size_t len = format(line, atomic_load(&log->json), entry);

    /* A pipe that poll() reports as writable has space for PIPE_BUF bytes. */
    if (log->may_block &&
        (poll(&ready, 1, 0) != 1 || !(ready.revents & POLLOUT)))
        atomic_fetch_add_explicit(&log->dropped, 1, memory_order_relaxed);
    else if (write(log->fd, line, len) != (ssize_t)len)
        atomic_fetch_add_explicit(&log->dropped, 1, memory_order_relaxed);
}

/* Writes how many lines of a kind were held back in an earlier second. */
static void emit_held_back(struct log *log, int64_t when_ms,
                           struct log_kind *kind)
{
    struct log_field fields[] = {{"kind", kind->message, 0},
                                 {"count", NULL, (int64_t)kind->held_back},
                                 {NULL, NULL, 0}};

    if (kind->held_back == 0 || kind->second == when_ms / 1000)
        return;
    emit(log, &(struct entry){when_ms, (enum log_level)kind->level,
                              "lines were held back", fields});
    kind->held_back = 0;
}

/* True if a line of this kind may be written in this second; else it is counted
 * as held back. Writes first what earlier seconds held back, of any kind. */
static bool admit(struct log *log, const struct entry *entry)
{
    int64_t second = entry->when_ms / 1000;
    struct log_kind *kind;
    bool admitted;

    pthread_mutex_lock(&log->lock);
    for (int i = 0; i < log->kind_count; i++)
        emit_held_back(log, entry->when_ms, &log->kinds[i]);
    kind = find(log, (int)entry->level, entry->message);
    if (kind->second != second)
        kind->in_second = 0;
    kind->second = second;
    admitted = kind->in_second < LOG_LIMIT_PER_SECOND;
    kind->in_second += admitted;
    kind->held_back += !admitted;
    pthread_mutex_unlock(&log->lock);
    if (!admitted)
        atomic_fetch_add_explicit(&log->held_back, 1, memory_order_relaxed);
    return admitted;
}

void log_write(struct log *log, enum log_level level, const char *message,
               const struct log_field *fields)
{
    struct entry entry = {0, level, message, fields};

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
        emit(log, &(struct entry){log->now_ms(), level, message, fields});
}
