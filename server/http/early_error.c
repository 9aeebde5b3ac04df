#include "server/http/early_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "server/http/connection.h"
#include "server/http/loop.h"
#include "server/mhd/response.h"

/* An error's text is one sentence, and its headers are few; what is longer is
 * not sent. */
struct message {
    char text[2048];
    size_t len;
};

__attribute__((format(printf, 2, 3))) static void add(struct message *message,
                                                      const char *format, ...)
{
    size_t room = sizeof(message->text) - message->len;
    va_list args;
    int len;

    va_start(args, format);
    len = vsnprintf(message->text + message->len, room, format, args);
    va_end(args);
    message->len += len < 0 ? room : (size_t)len;
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

static bool add_header(void *to, const char *name, const char *value)
{
    add(to, "%s: %s\r\n", name, value);
    return true;
}

static void write_answer(struct message *message,
                         const struct connection *connection)
{
    const struct exchange *exchange = &connection->exchange;
    const struct api_reply *reply = &exchange->task.job.reply;
    struct reply_headers headers = exchange_headers(connection, true);
    bool head_only = exchange->method && strcmp(exchange->method, "HEAD") == 0;

    add(message, "HTTP/1.1 %d %s\r\n", reply->status,
        response_phrase(reply->status));
    add_date(message);
    reply_add_headers(reply, &headers, add_header, message);
    if (reply->status != 204)
        add(message, "Content-Length: %zu\r\n", api_reply_bytes(reply));
    add(message, "\r\n");
    for (int i = 0; i < reply->piece_count && !head_only; i++)
        add(message, "%.*s", (int)reply->pieces[i].len,
            (const char *)reply->pieces[i].data);
}

void early_error_send(struct connection *connection)
{
    struct exchange *exchange = &connection->exchange;
    struct message message = {.len = 0};

    if (!exchange->open)
        exchange->number = ++connection->loop->request_count;
    exchange->open = true;
    exchange->written = exchange->task.job.reply.status;
    write_answer(&message, connection);
    engine_send_early(connection->engine, message.text,
                      message.len < sizeof(message.text) ? message.len : 0);
}
