#include "server/http/reply.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "server/mhd/response.h"

static_assert((int)API_MAX_PIECES <= (int)RESPONSE_MAX_PIECES,
              "for one answer");

/* What a page may read of an answer, and, ahead of its request, send. */
static bool add_cors(const struct api_reply *reply,
                     const struct reply_headers *headers, reply_add *add,
                     void *to)
{
    if (!headers->origin)
        return true;
    return add(to, "Access-Control-Allow-Origin", headers->origin) &&
           add(to, "Access-Control-Expose-Headers",
               "Inference-Header-Content-Length, X-Request-Id, Retry-After") &&
           (strcmp(headers->origin, "*") == 0 || add(to, "Vary", "Origin")) &&
           (reply->status != 204 ||
            (add(to, "Access-Control-Allow-Methods", reply->allow) &&
             add(to, "Access-Control-Max-Age", "86400") &&
             (!headers->asked ||
              add(to, "Access-Control-Allow-Headers", headers->asked))));
}

/* In decimal, for printf() costs more than all the rest here. */
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
                       void *to)
{
    char number[24];

    return (!reply->content_type ||
            add(to, "Content-Type", reply->content_type)) &&
           (reply->json_len == 0 || add(to, "Inference-Header-Content-Length",
                                        decimal(reply->json_len, number))) &&
           (!reply->allow || add(to, "Allow", reply->allow)) &&
           (!reply->policy ||
            (add(to, "Content-Security-Policy", reply->policy) &&
             add(to, "X-Content-Type-Options", "nosniff"))) &&
           (reply->status != 401 || add(to, "WWW-Authenticate", "Bearer")) &&
           (reply->status != 503 || add(to, "Retry-After", "1")) &&
           (reply->status != 415 ||
            add(to, "Accept-Encoding", "gzip, deflate")) &&
           (!headers->encoding ||
            add(to, "Content-Encoding", headers->encoding)) &&
           (!headers->varies || add(to, "Vary", "Accept-Encoding")) &&
           (!headers->request_id ||
            add(to, "X-Request-Id", headers->request_id)) &&
           add_cors(reply, headers, add, to) &&
           (!headers->close || add(to, "Connection", "close"));
}

static bool add(void *to, const char *name, const char *value)
{
    return response_add(to, name, value);
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
