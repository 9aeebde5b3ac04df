#include "server/message/reply.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "server/mhd/engine.h"

static_assert((int)API_MAX_PIECES <= (int)RESPONSE_MAX_PIECES,
              "a reply fits one response");

/* Tells a browser which headers a page may read, and in the reply to a
 * preflight which methods and headers it may send. */
static bool add_cors(const struct api_reply *reply,
                     const struct reply_headers *headers, reply_add *add,
                     void *context)
{
    if (!headers->origin)
        return true;
    return add(context, "Access-Control-Allow-Origin", headers->origin) &&
           add(context, "Access-Control-Expose-Headers",
               "Inference-Header-Content-Length, X-Request-Id, Retry-After, "
               "Server-Timing") &&
           (!headers->timing ||
            add(context, "Timing-Allow-Origin", headers->origin)) &&
           (reply->status != 204 ||
            (add(context, "Access-Control-Allow-Methods", reply->allow) &&
             add(context, "Access-Control-Max-Age", "86400") &&
             (!headers->requested ||
              add(context, "Access-Control-Allow-Headers",
                  headers->requested))));
}

/* Writes a number in decimal. Not by printf(), which costs more than all the
 * rest of this file. */
static const char *decimal(size_t number, char text[24])
{
    char *at = text + 23;

    *at = '\0';
    do
        *--at = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    return at;
}

bool reply_add_headers(const struct api_reply *reply,
                       const struct reply_headers *headers, reply_add *add,
                       void *context)
{
    char number[24];

    return (!reply->content_type ||
            add(context, "Content-Type", reply->content_type)) &&
           (reply->json_len == 0 ||
            add(context, "Inference-Header-Content-Length",
                decimal(reply->json_len, number))) &&
           (!reply->allow || add(context, "Allow", reply->allow)) &&
           (!reply->policy ||
            (add(context, "Content-Security-Policy", reply->policy) &&
             add(context, "X-Content-Type-Options", "nosniff"))) &&
           (reply->status != 401 ||
            add(context, "WWW-Authenticate", "Bearer")) &&
           (reply->status != 503 || add(context, "Retry-After", "1")) &&
           (reply->status != 415 ||
            add(context, "Accept-Encoding", "gzip, deflate")) &&
           (!headers->encoding ||
            add(context, "Content-Encoding", headers->encoding)) &&
           (!headers->varies || add(context, "Vary", headers->varies)) &&
           (!headers->request_id ||
            add(context, "X-Request-Id", headers->request_id)) &&
           (!headers->timing ||
            add(context, "Server-Timing", headers->timing)) &&
           add_cors(reply, headers, add, context) &&
           (!headers->close || add(context, "Connection", "close"));
}

bool reply_send(const struct api_reply *reply,
                const struct reply_headers *headers,
                struct engine_connection *connection)
{
    struct iovec pieces[API_MAX_PIECES];
    struct MHD_Response *response;
    bool sent;

    for (int i = 0; i < reply->piece_count; i++)
        /* Only read; the type of an iovec cannot say so. */
        pieces[i] = (struct iovec){(void *)(uintptr_t)reply->pieces[i].data,
                                   reply->pieces[i].len};
    response = response_new(pieces, (size_t)reply->piece_count);
    sent = response &&
           reply_add_headers(reply, headers, response_add, response) &&
           response_queue(response, api_reply_bytes(reply), connection,
                          reply->status);
    response_free(response);
    return sent;
}

static bool print_header(void *out, const char *name, const char *value)
{
    fprintf(out, "%s: %s\r\n", name, value);
    return true;
}

/* An error's text is one sentence and its headers are few: a longer message is
 * not sent. */
void reply_send_early(const struct api_reply *reply,
                      const struct reply_headers *headers, bool head_only,
                      struct engine_connection *connection)
{
    char text[2048], date[40];
    FILE *out = fmemopen(text, sizeof(text), "w");
    time_t now = time(NULL);
    size_t len = 0;
    struct tm tm;

    if (out) {
        gmtime_r(&now, &tm);
        strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", &tm);
        fprintf(out, "HTTP/1.1 %d %s\r\nDate: %s\r\n", reply->status,
                response_phrase(reply->status), date);
        reply_add_headers(reply, headers, print_header, out);
        if (reply->status != 204)
            fprintf(out, "Content-Length: %zu\r\n", api_reply_bytes(reply));
        fputs("\r\n", out);
        for (int i = 0; i < reply->piece_count && !head_only; i++)
            fwrite(reply->pieces[i].data, 1, reply->pieces[i].len, out);
        if (fflush(out) == 0 && !ferror(out))
            len = (size_t)ftell(out);
        fclose(out);
    }
    engine_send_early(connection, text, len);
}
