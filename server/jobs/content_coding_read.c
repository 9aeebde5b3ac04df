/* Compressed bodies: inflated into a buffer that grows as admission allows. */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "server/jobs/clock.h"
#include "server/jobs/content_coding.h"

enum {
    FIRST_SIZE = 64 << 10,
    SLICE = 1 << 20, /* bytes between two looks at `cancel` */
    GZIP_BITS = 15 + 16,
    ZLIB_BITS = 15,
    RAW_BITS = -15,
};

struct reader {
    struct job *job;
    z_stream z;
    size_t len;   /* bytes inflated */
    size_t limit; /* bytes reserved for them */
};

static bool fail(struct job *job, int status, const char *what)
{
    char text[200];

    snprintf(text, sizeof(text), "the %s body %s",
             content_coding_name(job->body_coding), what);
    job_fail(job, status, status == 413 ? METRICS_BODY_TOO_LARGE : -1, text);
    return false;
}

static bool fail_size(struct job *job)
{
    char text[120];

    snprintf(text, sizeof(text),
             "becomes more than the %lld bytes of http-max-input-size",
             (long long)job->context->options->http_max_input_size);
    return fail(job, 413, text);
}

/* The reservation, then the buffer, for twice as much as there is. */
static bool grow(struct reader *reader)
{
    struct job *job = reader->job;
    struct job_context *context = job->context;
    size_t most = (size_t)context->options->http_max_input_size;
    size_t size = reader->limit ? 2 * reader->limit : FIRST_SIZE;
    enum admission_verdict verdict;

    if (reader->len > most)
        return fail_size(job);
    size = size > most ? most + 1 : size; /* one shows that there is more */
    verdict = admission_reserve(&context->admission,
                                job->body_reserved + job->coded_reserved,
                                size - reader->limit);
    if (verdict != ADMISSION_OK) {
        job_refuse_bytes(job, verdict, size, "the inflated body");
        return false;
    }
    job->coded_reserved += size - reader->limit;
    reader->limit = size;
    if (buffer_pool_grow(&context->buffer_pool, &job->inflated, reader->len,
                         size, clock_now_us() / 1000))
        return true;
    job_fail(job, 503, METRICS_INFLIGHT_BYTES,
             "no memory for the inflated body: try again");
    return false;
}

/* A zlib header has a checksum of its own; what lacks it is a raw stream. */
static int window_bits(const struct job *job)
{
    const unsigned char *body = job->request.body;

    if (job->body_coding == CODING_GZIP)
        return GZIP_BITS;
    return job->request.body_len >= 2 && (body[0] & 15) == 8 &&
                   (body[0] * 256 + body[1]) % 31 == 0
               ? ZLIB_BITS
               : RAW_BITS;
}

/* One slice. Z_OK: there is more to do. */
static int step(struct reader *reader)
{
    struct job *job = reader->job;
    size_t room = reader->limit - reader->len;
    int result;

    room = room < SLICE ? room : SLICE;
    reader->z.next_out = job->inflated.data + reader->len;
    reader->z.avail_out = (uInt)room;
    result = inflate(&reader->z, Z_NO_FLUSH);
    reader->len += room - reader->z.avail_out;
    return result;
}

/* Behind a gzip stream another may follow, and is part of the body. */
static bool finish(struct reader *reader, bool *done)
{
    z_stream *z = &reader->z;

    *done = z->avail_in == 0;
    if (*done)
        return true;
    if (reader->job->body_coding == CODING_GZIP && z->avail_in >= 2 &&
        z->next_in[0] == 0x1f && z->next_in[1] == 0x8b)
        return inflateReset(z) == Z_OK;
    return fail(reader->job, 400, "has bytes behind its end");
}

static bool judge(struct reader *reader, int result, bool *done)
{
    char text[120];

    switch (result) {
    case Z_OK:
        return true;
    case Z_STREAM_END:
        return finish(reader, done);
    case Z_MEM_ERROR:
        job_fail(reader->job, 503, METRICS_INFLIGHT_BYTES,
                 "no memory to inflate the body: try again");
        return false;
    case Z_BUF_ERROR:
        return fail(reader->job, 400, "is cut off");
    default:
        snprintf(text, sizeof(text), "is damaged at byte %lu: %s",
                 (unsigned long)reader->job->request.body_len -
                     reader->z.avail_in,
                 reader->z.msg ? reader->z.msg : "it needs a dictionary");
        return fail(reader->job, 400, text);
    }
}

static bool inflate_all(struct reader *reader)
{
    struct job *job = reader->job;
    bool done = false;

    while (!done) {
        if (atomic_load_explicit(&job->cancel, memory_order_relaxed)) {
            job_fail(job, 503, -1, "the request was cancelled");
            return false;
        }
        if (reader->len == reader->limit && !grow(reader))
            return false;
        if (!judge(reader, step(reader), &done))
            return false;
    }
    return reader->len <= (size_t)job->context->options->http_max_input_size ||
           fail_size(job);
}

bool content_coding_read_body(struct job *job)
{
    struct reader reader = {
        .job = job,
        .z = {.next_in = job->request.body,
              .avail_in = (uInt)job->request.body_len},
    };
    bool ok;

    if (job->body_coding == CODING_IDENTITY || job->request.body_len == 0)
        return true;
    if (job->request.body_len > UINT32_MAX)
        return fail(job, 413, "has 4 GiB or more");
    if (inflateInit2(&reader.z, window_bits(job)) != Z_OK)
        return judge(&reader, Z_MEM_ERROR, &ok);
    ok = inflate_all(&reader);
    inflateEnd(&reader.z);
    job->request.body = job->inflated.data;
    job->request.body_len = reader.len;
    return ok;
}
