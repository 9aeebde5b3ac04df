/* Deflates the body of a reply. */
#include <zlib.h>

#include "server/work/job.h"

enum {
    /* Bytes between two checks of `cancel`, so that they take 0.2 to 0.4 ms. */
    SLICE = 16 << 10,
    MEM_LEVEL = 8,
    STATE = 300 << 10, /* bytes, allocated by zlib itself */
};

/* Reserves and allocates a buffer of the largest size that zlib can need; false
 * when it does not fit. */
static bool get_buffer(struct job *job, z_stream *z, size_t len)
{
    size_t size = deflateBound(z, len);

    return job_reserve(job, size + STATE) == LEASE_OK &&
           buffer_pool_get(&job->context->buffer_pool, size, &job->deflated);
}

static bool add_bytes(struct job *job, z_stream *z,
                      const struct api_piece *piece, int flush)
{
    const unsigned char *at = piece->data;
    size_t left = piece->len;
    int result = Z_OK;

    do {
        size_t now = left < SLICE ? left : SLICE;

        if (job_is_cancelled(job))
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

/* A reply that is stored as gzip too. */
static bool take_stored(struct job *job)
{
    if (job->reply_coding != CODING_GZIP || !job->reply.gzip)
        return false;
    job->reply.pieces[0] = *job->reply.gzip;
    job->coded = true;
    return true;
}

void coded_reply_deflate(struct job *job)
{
    size_t len = api_reply_bytes(&job->reply);
    z_stream z = {.avail_in = 0};

    if (take_stored(job) || !is_wanted(job, len) ||
        deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED,
                     content_coding_window_bits(job->reply_coding), MEM_LEVEL,
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
