#include "server/refusal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "server/connection.h"
#include "server/loop.h"

/* An error's text is one sentence; what is longer is not sent. */
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

/* The headers that reply_send() gives an error. */
static void write_answer(struct message *message,
                         const struct exchange *exchange)
{
    const struct api_reply *reply = &exchange->answer.reply;

    add(message, "HTTP/1.1 %d %s\r\n", reply->status,
        MHD_get_reason_phrase_for((unsigned)reply->status));
    add_date(message);
    add(message, "Connection: close\r\nContent-Type: %s\r\n",
        reply->content_type);
    if (reply->allow)
        add(message, "Allow: %s\r\n", reply->allow);
    if (reply->status == 503)
        add(message, "Retry-After: 1\r\n");
    if (reply->status == 415)
        add(message, "Accept-Encoding: identity\r\n");
    if (exchange->headers.request_id)
        add(message, "X-Request-Id: %s\r\n", exchange->headers.request_id);
    add(message, "Content-Length: %zu\r\n\r\n", api_reply_bytes(reply));
    for (int i = 0; i < reply->piece_count; i++)
        add(message, "%.*s", (int)reply->pieces[i].len,
            (const char *)reply->pieces[i].data);
}

void refusal_send(struct connection *connection)
{
    struct exchange *exchange = &connection->exchange;
    struct message message = {.len = 0};

    if (!exchange->open)
        exchange->number = ++connection->loop->request_count;
    exchange->open = true;
    exchange->written = exchange->answer.reply.status;
    write_answer(&message, exchange);
    /* A socket that would block has a client that does not read. */
    if (message.len < sizeof(message.text))
        send(connection->fd, message.text, message.len,
             MSG_DONTWAIT | MSG_NOSIGNAL);
    shutdown(connection->fd, SHUT_WR);
}
