#include "server/log/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* The line under construction. Text that does not fit is left out; `limit`
 * keeps CLOSING bytes free for the closing characters. */
struct line {
    char *text;
    size_t len, limit;
};

enum { CLOSING = 4 }; /* quote, brace, newline, NUL */

static const char *const names[] = {"error", "warning", "info", "debug"};

static bool add(struct line *line, const char *text, size_t len)
{
    if (line->len + len > line->limit)
        return false;
    memcpy(line->text + line->len, text, len);
    line->len += len;
    return true;
}

static bool add_text(struct line *line, const char *text)
{
    return add(line, text, strlen(text));
}

/* Printable ASCII is copied; any other byte becomes \xNN in text and \u00NN in
 * JSON. A line thus has no control characters, and JSON is valid even when the
 * bytes are not UTF-8. */
static void add_escaped(struct line *line, bool json, const char *text)
{
    for (; *text; text++) {
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
    add_escaped(line, json, field->text);
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

size_t log_format(char text[LOG_LINE_SIZE], bool json,
                  const struct log_entry *entry)
{
    struct line line = {text, 0, LOG_LINE_SIZE - CLOSING};

    add_text(&line, json ? "{\"time\":\"" : "");
    add_time(&line, entry->when_ms);
    add_text(&line, json ? "\",\"level\":\"" : " ");
    add_text(&line, names[entry->level]);
    add_text(&line, json ? "\",\"message\":\"" : " ");
    /* The message gets half of the line, the fields have the rest. */
    line.limit /= 2;
    add_escaped(&line, json, entry->message);
    line.limit = LOG_LINE_SIZE - CLOSING;
    add_text(&line, json ? "\"" : "");
    for (const struct log_field *field = entry->fields; field->name; field++)
        add_field(&line, json, field);
    memcpy(text + line.len, json ? "}\n" : "\n", json ? 3 : 2);
    return line.len + (json ? 2 : 1);
}
