#include "tests/fuzz/grpc_replies.h"

#include <ctype.h>
#include <nghttp2/nghttp2.h>

#include "tests/fuzz/expect.h"
#include "tests/fuzz/frames.h"

enum {
    MOST_DATA = 1 << 16, /* most bytes of a DATA frame, if the client may */
    MOST_CODE = 16,
};

struct reader {
    const unsigned char *at;
    size_t left;
    size_t frames;                 /* that were read */
    nghttp2_hd_inflater *inflater; /* owned */
    struct grpc_replies *replies;
};

static uint32_t read_number(const unsigned char *from, int bytes)
{
    uint32_t value = 0;

    for (int i = 0; i < bytes; i++)
        value = value << 8 | from[i];
    return value;
}

static bool take_frame(struct reader *reader, struct frame *frame)
{
    size_t len = reader->left < FRAMES_HEAD ? 0 : read_number(reader->at, 3);

    if (reader->left < FRAMES_HEAD + len)
        return false;
    *frame = (struct frame){(enum frames_type)reader->at[3], reader->at[4],
                            read_number(reader->at + 5, 4),
                            reader->at + FRAMES_HEAD, len};
    reader->at += FRAMES_HEAD + len;
    reader->left -= FRAMES_HEAD + len;
    reader->frames++;
    return true;
}

const struct grpc_reply *grpc_replies_find(const struct grpc_replies *replies,
                                           uint32_t stream)
{
    for (size_t i = 0; i < replies->count; i++)
        if (replies->all[i].stream == stream)
            return &replies->all[i];
    return NULL;
}

/* The reply that the stream has, or a new one. Streams are a client's. */
static struct grpc_reply *find_reply(struct grpc_replies *replies,
                                     uint32_t stream)
{
    for (size_t i = 0; i < replies->count; i++)
        if (replies->all[i].stream == stream)
            return &replies->all[i];
    EXPECT(stream % 2 == 1);
    replies->all =
        realloc(replies->all, (replies->count + 1) * sizeof(*replies->all));
    EXPECT(replies->all != NULL);
    replies->all[replies->count] =
        (struct grpc_reply){.stream = stream, .code = -1};
    return &replies->all[replies->count++];
}

static bool is(const nghttp2_nv *field, const char *name)
{
    return field->namelen == strlen(name) &&
           memcmp(field->name, name, field->namelen) == 0;
}

static int read_decimal(const nghttp2_nv *field)
{
    int value = 0;

    EXPECT(field->valuelen > 0 && field->valuelen <= 3);
    for (size_t i = 0; i < field->valuelen; i++) {
        EXPECT(isdigit(field->value[i]));
        value = 10 * value + field->value[i] - '0';
    }
    return value;
}

static void take_field(struct grpc_reply *reply, const nghttp2_nv *field)
{
    size_t at = strlen(reply->fields);

    for (size_t i = 0; i < field->valuelen; i++)
        EXPECT(field->value[i] >= ' ' && field->value[i] <= '~');
    snprintf(reply->fields + at, sizeof(reply->fields) - at, "%.*s: %.*s\n",
             (int)field->namelen, field->name, (int)field->valuelen,
             field->value);
    if (is(field, ":status")) {
        EXPECT(reply->status == 0);
        reply->status = read_decimal(field);
    } else if (is(field, "grpc-status")) {
        EXPECT(reply->code == -1);
        reply->code = read_decimal(field);
        EXPECT(reply->code <= MOST_CODE);
    }
}

static void take_block(struct reader *reader, struct grpc_reply *reply,
                       const struct frame *frame)
{
    const unsigned char *at = frame->payload;
    size_t left = frame->len;
    ssize_t read;
    nghttp2_nv field;
    int flags = 0;

    while (left > 0 || !(flags & NGHTTP2_HD_INFLATE_FINAL)) {
        flags = 0;
        read = nghttp2_hd_inflate_hd2(reader->inflater, &field, &flags, at,
                                      left, true);
        EXPECT(read >= 0);
        at += read;
        left -= (size_t)read;
        if (flags & NGHTTP2_HD_INFLATE_EMIT)
            take_field(reply, &field);
        EXPECT(read > 0 || flags != 0);
    }
    nghttp2_hd_inflate_end_headers(reader->inflater);
}

/* The first has HTTP's status; the last, which ends the reply, gRPC's; one may
 * be both. */
static void take_headers(struct reader *reader, const struct frame *frame)
{
    struct grpc_reply *reply = find_reply(reader->replies, frame->stream);
    bool first = reply->status == 0;

    EXPECT(!reply->ended && !reply->reset);
    EXPECT((frame->flags & ~(unsigned)FRAMES_END_STREAM) == FRAMES_END_HEADERS);
    take_block(reader, reply, frame);
    reply->ended = frame->flags & FRAMES_END_STREAM;
    EXPECT(reply->status == 200 || reply->status == 405 ||
           reply->status == 415);
    EXPECT(first || reply->ended);
    EXPECT(reply->ended == (reply->code >= 0));
}

static void take_data(struct reader *reader, const struct frame *frame)
{
    struct grpc_reply *reply = find_reply(reader->replies, frame->stream);

    EXPECT(reply->status != 0 && !reply->ended && !reply->reset);
    EXPECT(frame->len <= MOST_DATA);
    reply->data = realloc(reply->data, reply->len + frame->len + 1);
    EXPECT(reply->data != NULL);
    memcpy(reply->data + reply->len, frame->payload, frame->len);
    reply->len += frame->len;
    EXPECT((frame->flags & ~(unsigned)FRAMES_END_STREAM) == 0);
    reply->ended = frame->flags & FRAMES_END_STREAM;
    EXPECT(!reply->ended || reply->status != 200);
}

static void take(struct reader *reader, const struct frame *frame)
{
    EXPECT((reader->frames == 1) ==
           (frame->type == FRAMES_SETTINGS && !(frame->flags & FRAMES_ACK)));
    EXPECT(frame->len <= FRAMES_SIZE || frame->type == FRAMES_DATA);
    switch (frame->type) {
    case FRAMES_DATA:
        take_data(reader, frame);
        break;
    case FRAMES_HEADERS:
        take_headers(reader, frame);
        break;
    case FRAMES_RST_STREAM:
        EXPECT(frame->len == 4);
        find_reply(reader->replies, frame->stream)->reset = true;
        break;
    case FRAMES_SETTINGS:
        EXPECT(frame->stream == 0);
        EXPECT(frame->len == 0 || !(frame->flags & FRAMES_ACK));
        break;
    case FRAMES_PING:
        EXPECT(frame->stream == 0 && frame->len == 8);
        break;
    case FRAMES_GOAWAY:
        EXPECT(frame->stream == 0 && frame->len >= 8);
        break;
    case FRAMES_WINDOW_UPDATE:
        EXPECT(frame->len == 4 && read_number(frame->payload, 4) > 0);
        break;
    default:
        expect(false, "a frame that a server sends");
    }
}

/* Messages are whole once there is a status. */
static void check_messages(const struct grpc_reply *reply)
{
    const unsigned char *at = (const unsigned char *)reply->data;
    size_t left = reply->len, len;

    while (reply->status == 200 && reply->ended && left > 0) {
        EXPECT(left >= FRAMES_PREFIX && at[0] <= 1);
        len = FRAMES_PREFIX + (size_t)read_number(at + 1, 4);
        EXPECT(len <= left);
        at += len;
        left -= len;
    }
}

struct grpc_replies grpc_replies_read(const struct client *client)
{
    struct grpc_replies replies = {.count = 0};
    struct reader reader = {.at = (const unsigned char *)client->got,
                            .left = client->len,
                            .replies = &replies};
    struct frame frame;

    EXPECT(nghttp2_hd_inflate_new(&reader.inflater) == 0);
    while (take_frame(&reader, &frame))
        take(&reader, &frame);
    replies.left = reader.left;
    nghttp2_hd_inflate_del(reader.inflater);
    for (size_t i = 0; i < replies.count; i++)
        check_messages(&replies.all[i]);
    return replies;
}

/* The last frame may lack a part if a client has lost it, or the server has
 * ended the connection though the client's socket was full. */
struct grpc_replies grpc_replies_read_all(const struct client *client)
{
    struct grpc_replies replies = grpc_replies_read(client);

    EXPECT(replies.left == 0 || client->may_lose || client->ended);
    return replies;
}

void grpc_replies_free(struct grpc_replies *replies)
{
    for (size_t i = 0; i < replies->count; i++)
        free(replies->all[i].data);
    free(replies->all);
}
