#include "tests/fuzz/known.h"

#include <stdarg.h>
#include <stdint.h>
#include <zlib.h>

#include "tests/fuzz/expect.h"

enum {
    SMALL = 4, /* elements of the tensors below */
    COMPRESSED = 150,
    LARGE = 40000, /* received straight into its buffer */
    GZIP_BITS = 15 + 16,
    TEXT_SIZE = 2 * LARGE + 1024,
};

struct text {
    char data[TEXT_SIZE];
    size_t len;
};

static const char head_format[] =
    "%s HTTP/1.1\r\nHost: f\r\nX-Key: k\r\nAuthorization: Bearer t\r\n"
    "%s";

static const char document_format[] =
    "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"UINT8\",\"shape\":[%d,1],"
    "%s},{\"name\":\"sequence_lens\",\"datatype\":\"INT64\",\"shape\":[1],"
    "\"data\":[%d]}]%s}";

static const char infer[] = "POST /v2/models/onnx.ReverseSequence/infer";

__attribute__((format(printf, 2, 3))) static void print(struct text *text,
                                                        const char *format, ...)
{
    va_list args;

    va_start(args, format);
    text->len += (size_t)vsnprintf(text->data + text->len,
                                   TEXT_SIZE - text->len, format, args);
    va_end(args);
    EXPECT(text->len < TEXT_SIZE);
}

static void append(struct text *text, const void *data, size_t len)
{
    EXPECT(text->len + len < TEXT_SIZE);
    memcpy(text->data + text->len, data, len);
    text->len += len;
}

static unsigned value_of(int i)
{
    return (unsigned)(i * 7 + 1) % 200;
}

static void print_values(struct text *text, int count, bool reversed)
{
    print(text, "\"data\":[");
    for (int i = 0; i < count; i++)
        print(text, i ? ",%u" : "%u", value_of(reversed ? count - 1 - i : i));
    print(text, "]");
}

static void append_values(struct text *text, int count, bool reversed)
{
    for (int i = 0; i < count; i++) {
        unsigned char value =
            (unsigned char)value_of(reversed ? count - 1 - i : i);

        append(text, &value, 1);
    }
}

static void finish(struct known *known, const struct text *request,
                   const struct text *end)
{
    known->request = copy_of(request->data, request->len);
    known->len = request->len;
    known->end = copy_of(end->data, end->len);
    known->end_len = end->len;
}

static void make_get(struct known *known, const char *line, const char *answer)
{
    static struct text request, end;

    request.len = end.len = 0;
    print(&request, head_format, line, "\r\n");
    print(&end, "%s", answer);
    finish(known, &request, &end);
}

static void print_json(struct text *document, struct text *end, int count)
{
    static struct text data;

    data.len = document->len = end->len = 0;
    print_values(&data, count, false);
    print(document, document_format, count, data.data, count, "");
    print_values(end, count, true);
    print(end, "}]}");
}

static void make_binary(struct known *known, int count)
{
    static struct text document, request, end;
    char size[60], headers[120];

    document.len = request.len = end.len = 0;
    snprintf(size, sizeof(size), "\"parameters\":{\"binary_data_size\":%d}",
             count);
    print(&document, document_format, count, size, count,
          ",\"outputs\":[{\"name\":\"Y\",\"parameters\":"
          "{\"binary_data\":true}}]");
    snprintf(headers, sizeof(headers),
             "Inference-Header-Content-Length: %zu\r\n"
             "Content-Length: %zu\r\n\r\n",
             document.len, document.len + (size_t)count);
    print(&request, head_format, infer, headers);
    append(&request, document.data, document.len);
    append_values(&request, count, false);
    append_values(&end, count, true);
    finish(known, &request, &end);
}

static void make_json(struct known *known, int count, bool chunked)
{
    static struct text document, request, end;
    char headers[80];

    request.len = 0;
    print_json(&document, &end, count);
    snprintf(headers, sizeof(headers),
             chunked ? "Transfer-Encoding: chunked\r\n\r\n%zx\r\n"
                     : "Content-Length: %zu\r\n\r\n",
             document.len);
    print(&request, head_format, infer, headers);
    append(&request, document.data, document.len);
    print(&request, "%s", chunked ? "\r\n0\r\n\r\n" : "");
    finish(known, &request, &end);
}

static size_t compress_text(const struct text *text, unsigned char *out,
                            size_t size)
{
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)text->data,
                  .avail_in = (uInt)text->len,
                  .next_out = out,
                  .avail_out = (uInt)size};

    EXPECT(deflateInit2(&z, 1, Z_DEFLATED, GZIP_BITS, 8, 0) == Z_OK);
    EXPECT(deflate(&z, Z_FINISH) == Z_STREAM_END);
    deflateEnd(&z);
    return size - z.avail_out;
}

static void make_coded(struct known *known, int count)
{
    static struct text document, request, end;
    static unsigned char coded[TEXT_SIZE];
    char headers[120];
    size_t len;

    request.len = 0;
    print_json(&document, &end, count);
    len = compress_text(&document, coded, sizeof(coded));
    snprintf(headers, sizeof(headers),
             "Content-Encoding: gzip\r\nAccept-Encoding: gzip\r\n"
             "Content-Length: %zu\r\n\r\n",
             len);
    print(&request, head_format, infer, headers);
    append(&request, coded, len);
    finish(known, &request, &end);
    known->coded = true;
}

static void make_all(struct known all[KNOWN_COUNT])
{
    make_get(&all[KNOWN_LIVE], "GET /v2/health/live", "{\"live\":true}");
    make_json(&all[1], SMALL, false);
    make_binary(&all[2], SMALL);
    make_binary(&all[3], LARGE);
    make_coded(&all[4], COMPRESSED);
    make_json(&all[5], SMALL, true);
    make_json(&all[6], COMPRESSED, false);
    make_get(&all[7], "GET /v2/models/m/ready",
             "{\"name\":\"m\",\"ready\":true}");
}

const struct known *known_get(int index)
{
    static struct known all[KNOWN_COUNT];

    if (!all[0].request)
        make_all(all);
    return &all[index];
}

static size_t inflate_body(const struct reply *reply, unsigned char *out,
                           size_t size)
{
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)reply->body,
                  .avail_in = (uInt)reply->body_len,
                  .next_out = out,
                  .avail_out = (uInt)size};

    EXPECT(inflateInit2(&z, GZIP_BITS) == Z_OK);
    EXPECT(inflate(&z, Z_FINISH) == Z_STREAM_END && z.avail_in == 0);
    inflateEnd(&z);
    return size - z.avail_out;
}

void known_check(const struct known *known, const struct reply *reply)
{
    static unsigned char plain[TEXT_SIZE];
    const void *body = reply->body;
    size_t len = reply->body_len, word;

    if (reply_header(reply, "Content-Encoding", &word)) {
        EXPECT(known->coded);
        len = inflate_body(reply, plain, sizeof(plain));
        body = plain;
    }
    EXPECT(len >= known->end_len);
    EXPECT(memcmp((const char *)body + len - known->end_len, known->end,
                  known->end_len) == 0);
}
