/* Compressed answers, made in one buffer of the largest size they can have. */
#include <string.h>
#include <zlib.h>

#include "server/coding.h"

enum {
    GZIP_BITS = 15 + 16,
    ZLIB_BITS = 15,
    MEM_LEVEL = 8,
    STATE_BYTES = 300 << 10, /* what zlib itself allocates */
    SLICE = 1 << 20,         /* bytes between two looks at `cancel` */
};

/* Room for the whole answer, whatever it is made of; false when there is none,
 * and then it leaves as it is. */
static bool make_room(struct answer *answer, z_stream *z, size_t len)
{
    struct service *service = answer->service;
    size_t size = deflateBound(z, len);
    size_t held =
        answer->body_reserved + answer->coded_reserved + answer->reserved;

    if (admission_reserve(&service->admission, held, size + STATE_BYTES) !=
        ADMISSION_OK)
        return false;
    answer->coded_reserved += size + STATE_BYTES;
    return buffers_get(&service->buffers, size, &answer->deflated);
}

static bool add_bytes(struct answer *answer, z_stream *z,
                      const struct api_piece *piece, int flush)
{
    const unsigned char *at = piece->data;
    size_t left = piece->len;
    int result = Z_OK;

    do {
        size_t now = left < SLICE ? left : SLICE;

        if (atomic_load_explicit(&answer->cancel, memory_order_relaxed))
            return false;
        z->next_in = (unsigned char *)(uintptr_t)at;
        z->avail_in = (uInt)now;
        at += now;
        left -= now;
        result = deflate(z, left == 0 ? flush : Z_NO_FLUSH);
    } while (left > 0 && result == Z_OK);
    return result == (flush == Z_FINISH ? Z_STREAM_END : Z_OK);
}

static bool deflate_all(struct answer *answer, z_stream *z)
{
    const struct api_reply *reply = &answer->reply;

    z->next_out = answer->deflated.data;
    z->avail_out = (uInt)answer->deflated.capacity;
    for (int i = 0; i < reply->piece_count; i++)
        if (!add_bytes(answer, z, &reply->pieces[i],
                       i == reply->piece_count - 1 ? Z_FINISH : Z_NO_FLUSH))
            return false;
    return true;
}

static bool is_worth_it(const struct answer *answer, size_t len)
{
    return answer->reply_coding != CODING_IDENTITY &&
           answer->reply.status < 300 && len > 0 && len < UINT32_MAX / 2;
}

void coding_write_reply(struct answer *answer)
{
    size_t len = api_reply_bytes(&answer->reply);
    z_stream z = {.avail_in = 0};
    int bits = answer->reply_coding == CODING_GZIP ? GZIP_BITS : ZLIB_BITS;

    if (!is_worth_it(answer, len) ||
        deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, bits, MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return;
    if (make_room(answer, &z, len) && deflate_all(answer, &z)) {
        answer->reply.piece_count = 1;
        answer->reply.pieces[0] =
            (struct api_piece){answer->deflated.data,
                               (size_t)(z.next_out - answer->deflated.data)};
        answer->coded = true;
    }
    deflateEnd(&z);
}
