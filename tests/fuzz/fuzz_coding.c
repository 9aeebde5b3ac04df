/* Inflates an input as the body of a request, or deflates it as a reply and
 * inflates the result again.
 *
 * The first byte of an input chooses the coding, the direction and the memory
 * limit, the second byte the limit of an inflated body. The inflated body is
 * compared with the result of one call of zlib with one large buffer. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "server/work/job.h"
#include "tests/fuzz/expect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    DEFLATE = 1,   /* else gzip */
    COMPRESS = 2,  /* deflate the input first; else inflate it */
    NO_MEMORY = 4, /* max-inflight-bytes is below the body limit */
    MAX_SHIFT = 18,
    PLENTY = 1 << 24,
};

enum verdict { WHOLE, BROKEN, LARGE };

struct plain {
    unsigned char *data; /* owned; `limit` + 1 bytes */
    size_t len, limit;
};

static int window_bits(enum content_coding coding, const uint8_t *data,
                       size_t size)
{
    if (coding == CODING_GZIP)
        return 15 + 16;
    return size >= 2 && (data[0] & 15) == 8 &&
                   (data[0] << 8 | data[1]) % 31 == 0
               ? 15
               : -15;
}

static enum verdict inflate_member(z_stream *z, struct plain *plain)
{
    int result;

    z->next_out = plain->data + plain->len;
    z->avail_out = (uInt)(plain->limit + 1 - plain->len);
    result = inflate(z, Z_FINISH);
    plain->len = (size_t)(z->next_out - plain->data);
    if (plain->len > plain->limit)
        return LARGE;
    return result == Z_STREAM_END ? WHOLE : BROKEN;
}

/* All members of a gzip stream, up to the last byte. */
static enum verdict inflate_plainly(enum content_coding coding,
                                    const uint8_t *data, size_t size,
                                    struct plain *plain)
{
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)data,
                  .avail_in = (uInt)size};
    enum verdict verdict;

    EXPECT(inflateInit2(&z, window_bits(coding, data, size)) == Z_OK);
    do
        verdict = inflate_member(&z, plain);
    while (verdict == WHOLE && coding == CODING_GZIP && z.avail_in >= 2 &&
           z.next_in[0] == 0x1f && z.next_in[1] == 0x8b &&
           inflateReset(&z) == Z_OK);
    if (verdict == WHOLE && z.avail_in > 0)
        verdict = BROKEN;
    inflateEnd(&z);
    return verdict;
}

/* Checks the error reply of a body that was refused. */
static void check_error(const struct job *job, enum verdict verdict,
                        bool plenty)
{
    int status = job->reply.status;

    EXPECT(status == 400 || status == 413 || status == 503);
    EXPECT(status != 503 || !plenty);
    EXPECT(status != 413 || !plenty || verdict == LARGE);
    EXPECT(status != 400 || verdict != WHOLE);
    EXPECT(strcmp(job->reply.content_type, "application/json") == 0);
}

static void read_body(struct job *job, const uint8_t *data, size_t size,
                      bool plenty)
{
    size_t limit = (size_t)job->context->options->http_max_input_size;
    struct plain plain = {.data = allocate(limit + 1), .limit = limit};
    enum verdict verdict;
    bool ok;

    verdict = inflate_plainly(job->body_coding, data, size, &plain);
    job->request.body = (unsigned char *)(uintptr_t)data;
    job->request.body_len = size;
    ok = job_inflate(job);
    EXPECT(!ok || verdict == WHOLE);
    if (ok)
        EXPECT(job->request.body_len == plain.len &&
               memcmp(job->request.body, plain.data, plain.len) == 0);
    else
        check_error(job, verdict, plenty);
    free(plain.data);
}

/* The reply has two pieces: its deflated bytes continue across them. */
static void write_reply(struct job *job, const uint8_t *data, size_t size,
                        bool plenty)
{
    struct api_reply *reply = &job->reply;
    size_t cut = size / 3;

    *reply =
        (struct api_reply){.status = 200,
                           .piece_count = 2,
                           .pieces = {{data, cut}, {data + cut, size - cut}}};
    job_deflate(job);
    EXPECT(job->coded || !plenty);
    EXPECT(api_reply_bytes(reply) == size || job->coded);
}

static void compress_and_read(struct job *job, const uint8_t *data, size_t size,
                              bool plenty)
{
    struct buffer packed;
    size_t len;

    write_reply(job, data, size, plenty);
    if (!job->coded)
        return;
    len = job->reply.pieces[0].len;
    packed = job->deflated;
    job->deflated = (struct buffer){NULL, 0, 0};
    job->reply = (struct api_reply){.status = 0};
    job->body_coding = job->reply_coding;
    read_body(job, packed.data, len, plenty);
    if (job->reply.status == 0)
        EXPECT(job->request.body_len == size &&
               memcmp(job->request.body, data, size) == 0);
    buffer_put(&job->context->budget, &packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct options options = {0};
    struct job_context context = {.options = &options};
    struct lease lease;
    struct job job;
    bool plenty;

    if (size < 3)
        return 0;
    plenty = !(data[0] & NO_MEMORY);
    options.http_max_input_size = 1 << data[1] % (MAX_SHIFT + 1);
    budget_init(&context.budget, plenty ? PLENTY : 100 << 10, 0);
    lease_init(&lease, &context.budget, NULL);
    job_init(&job, &context);
    job.lease = &lease;
    job.body_coding = data[0] & DEFLATE ? CODING_DEFLATE : CODING_GZIP;
    job.reply_coding = CODING_GZIP;
    if (data[0] & COMPRESS)
        compress_and_read(&job, data + 2, size - 2, plenty);
    else
        read_body(&job, data + 2, size - 2, plenty);
    job_clear(&job);
    EXPECT(atomic_load(&context.budget.leased) == 0);
    budget_free(&context.budget);
    return 0;
}
