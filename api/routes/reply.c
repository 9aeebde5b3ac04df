#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "api/base/utf8.h"
#include "api/routes/routes.h"

static const char no_memory[] = "out of memory";
static const char no_memory_json[] = "{\"error\":\"out of memory\"}";

static int http_status(enum status_code code)
{
    switch (code) {
    case STATUS_OK:
        return 200;
    case STATUS_INVALID:
    case STATUS_MALFORMED:
        return 400;
    case STATUS_NOT_FOUND:
        return 404;
    case STATUS_NOT_SUPPORTED:
        return 501;
    case STATUS_TOO_LARGE:
        return 413;
    case STATUS_BUSY:
    case STATUS_CANCELLED:
    case STATUS_NO_MEMORY:
        return 503;
    case STATUS_INTERNAL:
        return 500;
    }
    return 500;
}

void reply_text(struct api_reply *reply, int status, struct json_writer *text)
{
    *reply = (struct api_reply){
        .status = status, .content_type = "application/json", .piece_count = 1};
    if (text->failed) {
        free(text->data);
        reply->status = 503;
        reply->error = no_memory;
        reply->pieces[0].data = no_memory_json;
        reply->pieces[0].len = sizeof(no_memory_json) - 1;
        return;
    }
    reply->owned = text->data;
    reply->pieces[0].data = text->data;
    reply->pieces[0].len = text->len;
}

void reply_print(struct api_reply *reply, int status, const char *format, ...)
{
    struct json_writer w;
    va_list args;

    json_writer_grow(&w);
    va_start(args, format);
    json_writer_vprint(&w, format, args);
    va_end(args);
    reply_text(reply, status, &w);
}

/* The text and a NUL, with U+FFFD for bytes that are not UTF-8, as in the JSON
 * in front of it: where that has no such character, nothing is to be done. */
static void write_text(struct json_writer *w, const char *text)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    size_t len = strlen(text), step;

    if (w->failed || !memchr(w->data, replacement[0], w->len)) {
        json_writer_bytes(w, text, len + 1);
        return;
    }
    for (; len > 0; text += step, len -= step) {
        step = utf8_length((const unsigned char *)text, len);
        if (step > 0)
            json_writer_bytes(w, text, step);
        else
            json_writer_raw(w, replacement);
        step += step == 0;
    }
    json_writer_bytes(w, "", 1);
}

void api_reply_error(struct api_reply *reply, int status, const char *text)
{
    struct json_writer w;
    size_t len;

    json_writer_grow(&w);
    json_writer_print(&w, "{\"error\":%s}", text);
    len = w.len;
    write_text(&w, text);
    reply_text(reply, status, &w);
    if (w.failed)
        return;
    reply->pieces[0].len = len;
    reply->error = w.data + len;
}

void api_reply_status(struct api_reply *reply, const struct status *st)
{
    api_reply_error(reply, http_status(st->code), st->message);
    reply->malformed = st->code == STATUS_MALFORMED;
}

size_t api_reply_bytes(const struct api_reply *reply)
{
    size_t bytes = 0;

    for (int i = 0; i < reply->piece_count; i++)
        bytes += reply->pieces[i].len;
    return bytes;
}

void api_reply_free(struct api_reply *reply)
{
    free(reply->owned);
    *reply = (struct api_reply){0};
}
