#include "tests/fuzz/frames.h"

#include <string.h>

enum {
    LONG = 20000,  /* bytes of a field that is too long */
    BLOCK = 24000, /* most bytes of a header block */
    WINDOW = 0x7FFF0000,
};

/* A part of a message or a header block. */
struct part {
    char *data;
    size_t len;
};

void frames_put(struct frames *frames, const void *data, size_t len)
{
    if (len == 0 || len > FRAMES_MOST - frames->len)
        return;
    memcpy(frames->data + frames->len, data, len);
    frames->len += len;
}

static void write_number(unsigned char *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> 8 * (bytes - 1 - i));
}

void frames_add(struct frames *frames, const struct frame *frame)
{
    unsigned char head[FRAMES_HEAD];

    if (FRAMES_HEAD + frame->len > FRAMES_MOST - frames->len)
        return;
    write_number(head, frame->len, 3);
    head[3] = (unsigned char)frame->type;
    head[4] = (unsigned char)frame->flags;
    write_number(head + 5, frame->stream, 4);
    frames_put(frames, head, sizeof(head));
    frames_put(frames, frame->payload, frame->len);
}

void frames_open(struct frames *frames)
{
    static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    unsigned char setting[6] = {0, 4}, window[4];

    write_number(setting + 2, WINDOW, 4);
    write_number(window, WINDOW - 65535, 4);
    frames_put(frames, preface, sizeof(preface) - 1);
    frames_add(frames, &(struct frame){FRAMES_SETTINGS, 0, 0, setting,
                                       sizeof(setting)});
    frames_add(frames, &(struct frame){FRAMES_WINDOW_UPDATE, 0, 0, window,
                                       sizeof(window)});
    frames_add(frames,
               &(struct frame){FRAMES_SETTINGS, FRAMES_ACK, 0, NULL, 0});
}

static void append(struct part *part, const void *data, size_t len)
{
    if (len > 0)
        memcpy(part->data + part->len, data, len);
    part->len += len;
}

static void append_byte(struct part *part, unsigned byte)
{
    part->data[part->len++] = (char)byte;
}

/* In seven bits a byte, the lowest first. */
static void append_varint(struct part *part, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        append_byte(part, (unsigned)(value & 0x7F) | 0x80);
    append_byte(part, (unsigned)value);
}

/* A literal of HPACK, not Huffman's. */
static void append_text(struct part *block, const char *text, size_t len)
{
    append_byte(block, len < 127 ? (unsigned)len : 127);
    if (len >= 127)
        append_varint(block, len - 127);
    append(block, text, len);
}

/* A field that no table of HPACK remembers. */
static void append_field(struct part *block, const char *name,
                         const char *value)
{
    append_byte(block, 0);
    append_text(block, name, strlen(name));
    append_text(block, value, strlen(value));
}

static void append_echoes(struct part *block)
{
    append_field(block, "x-request-id", "r");
    append_field(block, "user-agent", "a");
    append_field(block, "grpc-accept-encoding", "identity,gzip,deflate");
    append_field(block, "traceparent",
                 "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
}

static void append_long(struct part *block)
{
    static char text[LONG];

    memset(text, 'l', sizeof(text));
    append_byte(block, 0);
    append_text(block, "long", 4);
    append_text(block, text, sizeof(text));
}

static void append_block(struct part *block, const char *path, unsigned fields)
{
    append_field(block, ":method", "POST");
    append_field(block, ":scheme", "http");
    append_field(block, ":path", path);
    append_field(block, ":authority", "f");
    append_field(block, "te", "trailers");
    append_field(block, "content-type",
                 fields & FRAMES_PLAIN ? "text/plain" : "application/grpc");
    if (fields & FRAMES_GZIP)
        append_field(block, "grpc-encoding", "gzip");
    if (fields & FRAMES_TIMEOUT)
        append_field(block, "grpc-timeout", "10m");
    if (fields & FRAMES_KEYS) {
        append_field(block, "x-key", "k");
        append_field(block, "authorization", "Bearer t");
    }
    if (fields & FRAMES_ECHOES)
        append_echoes(block);
    if (fields & FRAMES_LONG)
        append_long(block);
}

void frames_add_headers(struct frames *frames, uint32_t stream,
                        const char *path, unsigned fields)
{
    static char data[BLOCK];
    struct part block = {data, 0};
    struct frame frame = {FRAMES_HEADERS, 0, stream, data, 0};
    size_t half;

    append_block(&block, path, fields);
    half = fields & FRAMES_SPLIT ? block.len / 2 : 0;
    frame.flags = fields & FRAMES_ENDS ? FRAMES_END_STREAM : 0;
    if (half > 0) {
        frame.len = half;
        frames_add(frames, &frame);
        frame = (struct frame){FRAMES_CONTINUATION, 0, stream, data + half, 0};
    }
    frame.flags |= FRAMES_END_HEADERS;
    frame.len = block.len - half;
    frames_add(frames, &frame);
}

void frames_add_fields(struct frames *frames, uint32_t stream,
                       const char *fields[][2], size_t count)
{
    static char data[BLOCK];
    struct part block = {data, 0};

    for (size_t i = 0; i < count; i++)
        if (fields[i][1])
            append_field(&block, fields[i][0], fields[i][1]);
    frames_add(frames, &(struct frame){FRAMES_HEADERS, FRAMES_END_HEADERS,
                                       stream, data, block.len});
}

void frames_add_message(struct frames *frames, uint32_t stream,
                        const struct frames_message *message)
{
    static char data[FRAMES_MOST];
    unsigned char prefix[FRAMES_PREFIX] = {(unsigned char)message->flag};
    struct part all = {data, 0};
    size_t most = message->whole ? FRAMES_MOST : FRAMES_SIZE, len;

    if (message->len > FRAMES_MOST - FRAMES_PREFIX)
        return;
    write_number(prefix + 1, message->len, 4);
    append(&all, prefix, sizeof(prefix));
    append(&all, message->data, message->len);
    for (size_t at = 0; at < all.len; at += len) {
        len = all.len - at < most ? all.len - at : most;
        frames_add(frames, &(struct frame){FRAMES_DATA,
                                           message->ends && at + len == all.len,
                                           stream, data + at, len});
    }
}

unsigned char frames_value(size_t i)
{
    return (unsigned char)((i * 7 + 1) % 200);
}

/* A field of bytes, of which `len` follow. */
static void append_head(struct part *part, unsigned number, size_t len)
{
    append_varint(part, number << 3 | 2);
    append_varint(part, len);
}

static void append_bytes(struct part *part, unsigned number, const void *data,
                         size_t len)
{
    append_head(part, number, len);
    append(part, data, len);
}

/* The parts of ModelInferRequest, InferInputTensor and InferTensorContents that
 * are sent. */
enum { MODEL = 1, INPUTS = 5, RAW = 7 };
enum { NAME = 1, DATATYPE = 2, SHAPE = 3, CONTENTS = 5 };
enum { INT64_CONTENTS = 3, UINT_CONTENTS = 4 };

static void append_input(struct part *message, const char *name,
                         const char *datatype, const struct part *shape,
                         const struct part *contents)
{
    size_t len = 2 + strlen(name) + 2 + strlen(datatype) + 2 + shape->len;
    char head[16];
    struct part field = {head, 0};

    if (contents->len > 0)
        append_head(&field, CONTENTS, contents->len);
    append_head(message, INPUTS, len + field.len + contents->len);
    append_bytes(message, NAME, name, strlen(name));
    append_bytes(message, DATATYPE, datatype, strlen(datatype));
    append_bytes(message, SHAPE, shape->data, shape->len);
    append(message, head, field.len);
    append(message, contents->data, contents->len);
}

/* The elements, as bytes or as a list of numbers. */
static void append_values(struct part *part, size_t count, bool raw)
{
    for (size_t i = 0; i < count; i++)
        if (raw)
            append_byte(part, frames_value(i));
        else
            append_varint(part, frames_value(i));
}

size_t frames_infer(char *to, size_t count, bool raw)
{
    static char values_data[FRAMES_MOST], contents_data[FRAMES_MOST];
    static const char model[] = "onnx.ReverseSequence";
    char shape_data[12], lens_data[32];
    struct part message = {to, 0}, shape = {shape_data, 0},
                lens = {lens_data, 0}, values = {values_data, 0},
                contents = {contents_data, 0};

    append_values(&values, count, raw);
    if (!raw)
        append_bytes(&contents, UINT_CONTENTS, values.data, values.len);
    append_varint(&shape, count);
    append_byte(&shape, 1);
    append_bytes(&message, MODEL, model, sizeof(model) - 1);
    append_input(&message, "input", "UINT8", &shape, &contents);
    shape.len--;
    append_bytes(&lens, INT64_CONTENTS, shape.data, shape.len);
    shape.len = 0;
    append_byte(&shape, 1);
    append_input(&message, "sequence_lens", "INT64", &shape, &lens);
    if (raw)
        append_bytes(&message, RAW, values.data, values.len);
    return message.len;
}
