#include "server/message/reply.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "server/mhd/response.h"

static_assert((int)API_MAX_PIECES <= (int)RESPONSE_MAX_PIECES,
              "a reply fits one response");

/* Tells a browser which headers a page may read, and in the reply to a
 * preflight which methods and headers it may send. */
static bool add_cors(const struct api_reply *reply,
                     const struct reply_headers *headers, reply_add *add,
                     void *message)
{
    if (!headers->origin)
        return true;
    return add(message, "Access-Control-Allow-Origin", headers->origin) &&
           add(message, "Access-Control-Expose-Headers",
               "Inference-Header-Content-Length, X-Request-Id, Retry-After") &&
           (strcmp(headers->origin, "*") == 0 ||
            add(message, "Vary", "Origin")) &&
           (reply->status != 204 ||
            (add(message, "Access-Control-Allow-Methods", reply->allow) &&
             add(message, "Access-Control-Max-Age", "86400") &&
             (!headers->requested ||
              add(message, "Access-Control-Allow-Headers",
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
                       void *message)
{
    char number[24];

    return (!reply->content_type ||
            add(message, "Content-Type", reply->content_type)) &&
           (reply->json_len == 0 ||
            add(message, "Inference-Header-Content-Length",
                decimal(reply->json_len, number))) &&
           (!reply->allow || add(message, "Allow", reply->allow)) &&
           (!reply->policy ||
            (add(message, "Content-Security-Policy", reply->policy) &&
             add(message, "X-Content-Type-Options", "nosniff"))) &&
           (reply->status != 401 ||
            add(message, "WWW-Authenticate", "Bearer")) &&
           (reply->status != 503 || add(message, "Retry-After", "1")) &&
           (reply->status != 415 ||
            add(message, "Accept-Encoding", "gzip, deflate")) &&
           (!headers->encoding ||
            add(message, "Content-Encoding", headers->encoding)) &&
           (!headers->varies || add(message, "Vary", "Accept-Encoding")) &&
           (!headers->request_id ||
            add(message, "X-Request-Id", headers->request_id)) &&
           add_cors(reply, headers, add, message) &&
           (!headers->close || add(message, "Connection", "close"));
}

static bool add(void *message, const char *name, const char *value)
{
    return response_add(message, name, value);
}

bool reply_send(const struct api_reply *reply,
                const struct reply_headers *headers,
                struct engine_connection *connection)
{
    struct iovec pieces[API_MAX_PIECES];
    struct response response;
    bool sent;

    for (int i = 0; i < reply->piece_count; i++)
        /* Only read; the type of an iovec cannot say so. */
        pieces[i] = (struct iovec){(void *)(uintptr_t)reply->pieces[i].data,
                                   reply->pieces[i].len};
    sent = response_init(&response, pieces, (size_t)reply->piece_count) &&
           reply_add_headers(reply, headers, add, &response) &&
           response_queue(&response, connection, reply->status);
    response_free(&response);
    return sent;
}
