/* Compressed bodies: inflated into a buffer that grows as admission allows. */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "server/coding.h"

enum {
    FIRST_SIZE = 64 << 10,
    SLICE = 1 << 20, /* bytes between two looks at `cancel` */
    GZIP_BITS = 15 + 16,
    ZLIB_BITS = 15,
    RAW_BITS = -15,
};

struct reader {
    struct answer *answer;
    z_stream z;
    size_t len;   /* bytes inflated */
    size_t limit; /* bytes reserved for them */
};

static bool fail(struct answer *answer, int status, const char *what)
{
    char text[200];

    snprintf(text, sizeof(text), "the %s body %s",
             coding_name(answer->body_coding), what);
    answer_fail(answer, status, status == 413 ? METRICS_BODY_TOO_LARGE : -1,
                text);
    return false;
}

static bool fail_size(struct answer *answer)
{
    char text[120];

    snprintf(text, sizeof(text),
             "becomes more than the %lld bytes of http-max-input-size",
             (long long)answer->service->options->http_max_input_size);
    return fail(answer, 413, text);
}

/* The reservation, then the buffer, for twice as much as there is. */
static bool grow(struct reader *reader)
{
    struct answer *answer = reader->answer;
    struct service *service = answer->service;
    size_t most = (size_t)service->options->http_max_input_size;
    size_t size = reader->limit ? 2 * reader->limit : FIRST_SIZE;
    enum admission_verdict verdict;

    if (reader->len > most)
        return fail_size(answer);
    size = size > most ? most + 1 : size; /* one shows that there is more */
    verdict = admission_reserve(&service->admission,
                                answer->body_reserved + answer->coded_reserved,
                                size - reader->limit);
    if (verdict != ADMISSION_OK) {
        answer_refuse_bytes(answer, verdict, size, "the inflated body");
        return false;
    }
    answer->coded_reserved += size - reader->limit;
    reader->limit = size;
    if (buffers_grow(&service->buffers, &answer->inflated, reader->len, size,
                     service_now_us() / 1000))
        return true;
    answer_fail(answer, 503, METRICS_INFLIGHT_BYTES,
                "no memory for the inflated body: try again");
    return false;
}

/* A zlib header has a checksum of its own; what lacks it is a raw stream. */
static int window_bits(const struct answer *answer)
{
    const unsigned char *body = answer->request.body;

    if (answer->body_coding == CODING_GZIP)
        return GZIP_BITS;
    return answer->request.body_len >= 2 && (body[0] & 15) == 8 &&
                   (body[0] * 256 + body[1]) % 31 == 0
               ? ZLIB_BITS
               : RAW_BITS;
}

/* One slice. Z_OK: there is more to do. */
static int step(struct reader *reader)
{
    struct answer *answer = reader->answer;
    size_t room = reader->limit - reader->len;
    int result;

    room = room < SLICE ? room : SLICE;
    reader->z.next_out = answer->inflated.data + reader->len;
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
    if (reader->answer->body_coding == CODING_GZIP && z->avail_in >= 2 &&
        z->next_in[0] == 0x1f && z->next_in[1] == 0x8b)
        return inflateReset(z) == Z_OK;
    return fail(reader->answer, 400, "has bytes behind its end");
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
        answer_fail(reader->answer, 503, METRICS_INFLIGHT_BYTES,
                    "no memory to inflate the body: try again");
        return false;
    case Z_BUF_ERROR:
        return fail(reader->answer, 400, "is cut off");
    default:
        snprintf(text, sizeof(text), "is damaged at byte %lu: %s",
                 (unsigned long)reader->answer->request.body_len -
                     reader->z.avail_in,
                 reader->z.msg ? reader->z.msg : "it needs a dictionary");
        return fail(reader->answer, 400, text);
    }
}

static bool inflate_all(struct reader *reader)
{
    struct answer *answer = reader->answer;
    bool done = false;

    while (!done) {
        if (atomic_load_explicit(&answer->cancel, memory_order_relaxed)) {
            answer_fail(answer, 503, -1, "the request was cancelled");
            return false;
        }
        if (reader->len == reader->limit && !grow(reader))
            return false;
        if (!judge(reader, step(reader), &done))
            return false;
    }
    return reader->len <=
               (size_t)answer->service->options->http_max_input_size ||
           fail_size(answer);
}

bool coding_read_body(struct answer *answer)
{
    struct reader reader = {
        .answer = answer,
        .z = {.next_in = answer->request.body,
              .avail_in = (uInt)answer->request.body_len},
    };
    bool ok;

    if (answer->body_coding == CODING_IDENTITY || answer->request.body_len == 0)
        return true;
    if (answer->request.body_len > UINT32_MAX)
        return fail(answer, 413, "has 4 GiB or more");
    if (inflateInit2(&reader.z, window_bits(answer)) != Z_OK)
        return judge(&reader, Z_MEM_ERROR, &ok);
    ok = inflate_all(&reader);
    inflateEnd(&reader.z);
    answer->request.body = answer->inflated.data;
    answer->request.body_len = reader.len;
    return ok;
}
