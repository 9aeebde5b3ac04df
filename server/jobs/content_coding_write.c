/* The compressed reply is written to one buffer of the largest size that zlib
 * can need for it. */
#include "server/jobs/content_coding_write.h"

#include <zlib.h>

enum {
    GZIP_BITS = 15 + 16,
    ZLIB_BITS = 15,
    MEM_LEVEL = 8,
    STATE_BYTES = 300 << 10, /* allocated by zlib itself */
    SLICE = 1 << 20,         /* bytes between two checks of `cancel` */
};

/* Reserves and allocates the buffer; false when it does not fit. */
static bool get_buffer(struct job *job, z_stream *z, size_t len)
{
    struct job_context *context = job->context;
    size_t size = deflateBound(z, len);
    size_t reserved = job->body_reserved + job->coded_reserved + job->reserved;

    if (admission_reserve(&context->admission, reserved, size + STATE_BYTES) !=
        ADMISSION_OK)
        return false;
    job->coded_reserved += size + STATE_BYTES;
    return buffer_pool_get(&context->buffer_pool, size, &job->deflated);
}

static bool add_bytes(struct job *job, z_stream *z,
                      const struct api_piece *piece, int flush)
{
    const unsigned char *at = piece->data;
    size_t left = piece->len;
    int result = Z_OK;

    do {
        size_t now = left < SLICE ? left : SLICE;

        if (atomic_load_explicit(&job->cancel, memory_order_relaxed))
            return false;
        z->next_in = (unsigned char *)(uintptr_t)at;
        z->avail_in = (uInt)now;
        at += now;
        left -= now;
        result = deflate(z, left == 0 ? flush : Z_NO_FLUSH);
    } while (left > 0 && result == Z_OK);
    return result == (flush == Z_FINISH ? Z_STREAM_END : Z_OK);
}

static bool deflate_all(struct job *job, z_stream *z)
{
    const struct api_reply *reply = &job->reply;

    z->next_out = job->deflated.data;
    z->avail_out = (uInt)job->deflated.capacity;
    for (int i = 0; i < reply->piece_count; i++)
        if (!add_bytes(job, z, &reply->pieces[i],
                       i == reply->piece_count - 1 ? Z_FINISH : Z_NO_FLUSH))
            return false;
    return true;
}

static bool is_wanted(const struct job *job, size_t len)
{
    return job->reply_coding != CODING_IDENTITY && job->reply.status < 300 &&
           len > 0 && len < UINT32_MAX / 2;
}

void content_coding_write_reply(struct job *job)
{
    size_t len = api_reply_bytes(&job->reply);
    z_stream z = {.avail_in = 0};
    int bits = job->reply_coding == CODING_GZIP ? GZIP_BITS : ZLIB_BITS;

    if (!is_wanted(job, len) ||
        deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, bits, MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return;
    if (get_buffer(job, &z, len) && deflate_all(job, &z)) {
        job->reply.piece_count = 1;
        job->reply.pieces[0] = (struct api_piece){
            job->deflated.data, (size_t)(z.next_out - job->deflated.data)};
        job->coded = true;
    }
    deflateEnd(&z);
}
