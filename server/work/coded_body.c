/* Inflates the body of a request. */
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "server/work/job.h"

enum {
    FIRST_SIZE = 8 << 10, /* bytes of the first buffer */
    STATE = 44 << 10,     /* bytes, allocated by zlib itself */
    USUAL_RATIO = 4,      /* of an inflated body to a coded one */
    /* Bytes between two checks of `cancel`, so that they take 0.2 to 0.4 ms. */
    SLICE = 128 << 10,
};

/* A body that is being inflated. */
struct inflating {
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
    job->reply.malformed = status == 400;
    return false;
}

static size_t limit_of(const struct job *job)
{
    const char *name;

    return job_body_limit(job, &name);
}

static bool fail_limit(struct job *job)
{
    char text[120];
    const char *name;
    size_t limit = job_body_limit(job, &name);

    snprintf(text, sizeof(text), "becomes more than the %zu bytes of %s", limit,
             name);
    return fail(job, 413, text);
}

/* Doubles the reservation and the buffer. The limit plus one byte is enough to
 * see that a body exceeds it. */
static bool grow(struct job *job)
{
    struct inflating *inflating = job->inflating;
    struct job_context *context = job->context;
    size_t max = limit_of(job);
    size_t size = inflating->limit ? 2 * inflating->limit : FIRST_SIZE;
    enum lease_verdict verdict;

    if (inflating->len > max)
        return fail_limit(job);
    size = size > max ? max + 1 : size;
    verdict = job_reserve(job, inflating->limit ? size - inflating->limit
                                                : size + STATE);
    if (verdict != LEASE_OK) {
        job_fail_reservation(job, verdict, size, "the inflated body");
        return false;
    }
    inflating->limit = size;
    if (buffer_pool_grow(&context->buffer_pool, &job->inflated, inflating->len,
                         size))
        return true;
    job_fail_memory(job, "the inflated body");
    return false;
}

/* A zlib stream starts with two bytes that have a checksum; without it the
 * stream is a raw one. */
static bool is_raw(const struct job *job)
{
    const unsigned char *body = job->request.body;

    return job->body_coding == CODING_DEFLATE &&
           (job->request.body_len < 2 || (body[0] & 15) != 8 ||
            (body[0] * 256 + body[1]) % 31 != 0);
}

static int window_bits(const struct job *job)
{
    return is_raw(job) ? -MAX_WBITS
                       : content_coding_window_bits(job->body_coding);
}

/* Inflates one slice. Z_OK: the stream goes on. */
static int inflate_slice(struct job *job)
{
    struct inflating *inflating = job->inflating;
    size_t space = inflating->limit - inflating->len;
    int result;

    space = space < SLICE ? space : SLICE;
    inflating->z.next_out = job->inflated.data + inflating->len;
    inflating->z.avail_out = (uInt)space;
    result = inflate(&inflating->z, Z_NO_FLUSH);
    inflating->len += space - inflating->z.avail_out;
    return result;
}

/* At the end of a stream. A gzip stream may be followed by another one, which
 * continues the body. */
static bool end_stream(struct job *job, bool *done)
{
    z_stream *z = &job->inflating->z;

    *done = z->avail_in == 0;
    if (*done)
        return true;
    if (job->body_coding == CODING_GZIP && z->avail_in >= 2 &&
        z->next_in[0] == 0x1f && z->next_in[1] == 0x8b)
        return inflateReset(z) == Z_OK;
    return fail(job, 400, "has bytes after its end");
}

static bool fail_inflate_memory(struct job *job)
{
    job_fail(job, 503, METRICS_INFLIGHT_BYTES,
             "no memory to inflate the body: try again");
    return false;
}

/* Handles a result of inflate(); false when the reply is an error. */
static bool check_result(struct job *job, int result, bool *done)
{
    const z_stream *z = &job->inflating->z;
    char text[120];

    switch (result) {
    case Z_OK:
        return true;
    case Z_STREAM_END:
        return end_stream(job, done);
    case Z_MEM_ERROR:
        return fail_inflate_memory(job);
    case Z_BUF_ERROR:
        return fail(job, 400, "is cut off");
    default:
        snprintf(text, sizeof(text), "is damaged at byte %lu: %s",
                 (unsigned long)job->request.body_len - z->avail_in,
                 z->msg ? z->msg : "it needs a dictionary");
        return fail(job, 400, text);
    }
}

static bool start(struct job *job)
{
    struct inflating *inflating;

    if (job->request.body_len > UINT32_MAX)
        return fail(job, 413, "has 4 GiB or more");
    inflating = calloc(1, sizeof(*inflating));
    if (!inflating)
        return fail_inflate_memory(job);
    inflating->z.next_in = job->request.body;
    inflating->z.avail_in = (uInt)job->request.body_len;
    if (inflateInit2(&inflating->z, window_bits(job)) != Z_OK) {
        free(inflating);
        return fail_inflate_memory(job);
    }
    job->inflating = inflating;
    return true;
}

void coded_body_drop(struct job *job)
{
    if (job->inflating)
        inflateEnd(&job->inflating->z);
    free(job->inflating);
    job->inflating = NULL;
}

/* The inflated body takes the place of the body. */
static bool finish(struct job *job)
{
    size_t len = job->inflating->len;

    coded_body_drop(job);
    job->request.body = job->inflated.data;
    job->request.body_len = len;
    return len <= limit_of(job) || fail_limit(job);
}

static bool inflate_more(struct job *job, bool *done)
{
    if (!job->inflating && !start(job))
        return false;
    if (job_is_cancelled(job)) {
        job_fail(job, 503, -1, "the request was cancelled");
        return false;
    }
    if (job->inflating->len == job->inflating->limit && !grow(job))
        return false;
    return check_result(job, inflate_slice(job), done);
}

bool coded_body_inflate_slice(struct job *job, bool *done)
{
    *done = job->body_coding == CODING_IDENTITY || job->request.body_len == 0;
    if (*done)
        return true;
    if (!inflate_more(job, done)) {
        coded_body_drop(job);
        return false;
    }
    return !*done || finish(job);
}

bool coded_body_inflate(struct job *job)
{
    bool done = false;

    while (!done)
        if (!coded_body_inflate_slice(job, &done))
            return false;
    return true;
}

/* What has been inflated so far, and as much again for the same input. */
size_t coded_body_expected(const struct job *job)
{
    const struct inflating *inflating = job->inflating;
    size_t all = job->request.body_len;
    size_t read = inflating ? all - inflating->z.avail_in : 0;

    if (read == 0)
        return all * USUAL_RATIO;
    return (size_t)((double)inflating->len / (double)read * (double)all);
}
