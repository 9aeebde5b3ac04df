#include "server/mhd/response.h"

#include <assert.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>

#include "server/mhd/engine_state.h"

/* Up to here a copy into one piece is cheaper than the second system call that
 * libmicrohttpd makes for a list: it sends header and body in one only when
 * the body is one piece. */
enum { GATHER_LIMIT = 16 << 10 };

static_assert(RESPONSE_MAX_PIECES + 1 <= SLICED_SEND_PARTS,
              "a header and all pieces are sent in slices");

static struct MHD_Response *gather(const struct iovec *pieces, size_t count,
                                   size_t len)
{
    char *all = malloc(len), *at = all;
    struct MHD_Response *mhd;

    if (!all)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        memcpy(at, pieces[i].iov_base, pieces[i].iov_len);
        at += pieces[i].iov_len;
    }
    mhd = MHD_create_response_from_buffer_with_free_callback(len, all, free);
    if (!mhd)
        free(all);
    return mhd;
}

static struct MHD_Response *from_list(const struct iovec *pieces, size_t count)
{
    struct MHD_IoVec list[RESPONSE_MAX_PIECES];

    for (size_t i = 0; i < count; i++)
        list[i] = (struct MHD_IoVec){pieces[i].iov_base, pieces[i].iov_len};
    return MHD_create_response_from_iovec(list, (unsigned int)count, NULL,
                                          NULL);
}

bool response_init(struct response *response, const struct iovec *pieces,
                   size_t count)
{
    size_t len = 0;

    for (size_t i = 0; i < count; i++)
        len += pieces[i].iov_len;
    response->len = len;
    if (len == 0)
        response->mhd = MHD_create_response_empty(MHD_RF_NONE);
    else if (count == 1)
        response->mhd =
            MHD_create_response_from_buffer_static(len, pieces[0].iov_base);
    else if (len > GATHER_LIMIT)
        response->mhd = from_list(pieces, count);
    else
        response->mhd = gather(pieces, count, len);
    return response->mhd != NULL;
}

bool response_add(void *context, const char *name, const char *value)
{
    struct response *response = context;

    return MHD_add_response_header(response->mhd, name, value) == MHD_YES;
}

bool response_queue(const struct response *response,
                    struct engine_connection *connection, int status)
{
    socket_buffers_send(&connection->stack.buffers, response->len);
    if (response->len > SLICED_SEND_BYTES)
        sliced_send_start(&connection->stack.send, response->len);
    connection->stack.has_reply =
        MHD_queue_response(connection->mhd, (unsigned int)status,
                           response->mhd) == MHD_YES;
    return connection->stack.has_reply;
}

void response_free(struct response *response)
{
    if (response->mhd)
        MHD_destroy_response(response->mhd);
}

const char *response_phrase(int status)
{
    return MHD_get_reason_phrase_for((unsigned int)status);
}
