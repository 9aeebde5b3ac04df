#include "server/message/early_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "server/mhd/response.h"

/* An error's text is one sentence and its headers are few: a longer message is
 * not sent. */
struct message {
    char text[2048];
    size_t len; /* sizeof(text): it is too long */
};

__attribute__((format(printf, 2, 3))) static void add(struct message *message,
                                                      const char *format, ...)
{
    size_t space = sizeof(message->text) - message->len;
    va_list args;
    int len;

    va_start(args, format);
    len = vsnprintf(message->text + message->len, space, format, args);
    va_end(args);
    message->len += len < 0 ? space : (size_t)len;
    if (message->len > sizeof(message->text))
        message->len = sizeof(message->text);
}

static void add_date(struct message *message)
{
    time_t now = time(NULL);
    struct tm tm;
    char text[40];

    gmtime_r(&now, &tm);
    strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &tm);
    add(message, "Date: %s\r\n", text);
}

static bool add_header(void *message, const char *name, const char *value)
{
    add(message, "%s: %s\r\n", name, value);
    return true;
}

static void add_head(struct message *message, const struct api_reply *reply,
                     const struct reply_headers *headers)
{
    add(message, "HTTP/1.1 %d %s\r\n", reply->status,
        response_phrase(reply->status));
    add_date(message);
    reply_add_headers(reply, headers, add_header, message);
    if (reply->status != 204)
        add(message, "Content-Length: %zu\r\n", api_reply_bytes(reply));
    add(message, "\r\n");
}

void early_error_send(const struct api_reply *reply,
                      const struct reply_headers *headers, bool head_only,
                      struct engine_connection *connection)
{
    struct message message = {.len = 0};
    bool fits;

    add_head(&message, reply, headers);
    for (int i = 0; i < reply->piece_count && !head_only; i++)
        add(&message, "%.*s", (int)reply->pieces[i].len,
            (const char *)reply->pieces[i].data);
    fits = message.len < sizeof(message.text);
    engine_send_early(connection, message.text, fits ? message.len : 0);
}
