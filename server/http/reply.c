#include "server/http/reply.h"

#include <stdlib.h>
#include <string.h>

/* Up to here a copy into one piece is cheaper than the second system call that
 * libmicrohttpd makes for a list: it sends header and body in one only when
 * the body is one piece. */
enum { GATHER_LIMIT = 16 << 10 };

static void *gather(const struct api_reply *reply, size_t len)
{
    char *all = malloc(len);
    char *at = all;

    for (int i = 0; all && i < reply->piece_count; i++) {
        memcpy(at, reply->pieces[i].data, reply->pieces[i].len);
        at += reply->pieces[i].len;
    }
    return all;
}

static struct MHD_Response *from_list(const struct api_reply *reply)
{
    struct MHD_IoVec list[API_MAX_PIECES];

    for (int i = 0; i < reply->piece_count; i++)
        list[i] =
            (struct MHD_IoVec){reply->pieces[i].data, reply->pieces[i].len};
    return MHD_create_response_from_iovec(
        list, (unsigned int)reply->piece_count, NULL, NULL);
}

static struct MHD_Response *make(const struct api_reply *reply, void **gathered)
{
    size_t len = api_reply_bytes(reply);

    if (len == 0)
        return MHD_create_response_empty(MHD_RF_NONE);
    if (reply->piece_count == 1)
        return MHD_create_response_from_buffer_static(len,
                                                      reply->pieces[0].data);
    if (len > GATHER_LIMIT)
        return from_list(reply);
    *gathered = gather(reply, len);
    if (!*gathered)
        return NULL;
    return MHD_create_response_from_buffer_static(len, *gathered);
}

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
    return MHD_add_response_header(to, name, value) == MHD_YES;
}

bool reply_send(const struct api_reply *reply,
                const struct reply_headers *headers,
                struct MHD_Connection *connection, void **gathered)
{
    struct MHD_Response *response = make(reply, gathered);
    bool sent;

    if (!response)
        return false;
    sent = reply_add_headers(reply, headers, add, response) &&
           MHD_queue_response(connection, (unsigned int)reply->status,
                              response) == MHD_YES;
    MHD_destroy_response(response);
    return sent;
}
