/* The reply of one infer request: where its head and its data lie. */
#include <string.h>

#include "api/infer/infer.h"

static void add_piece(struct api_reply *reply, const void *data, size_t len)
{
    if (len == 0)
        return;
    reply->pieces[reply->piece_count].data = data;
    reply->pieces[reply->piece_count].len = len;
    reply->piece_count++;
}

/* The request's document has been read, and is most often longer than the
 * reply's: then that goes in its place, and the reply is one piece. */
static bool put_in_front(const struct infer *infer,
                         const struct json_writer *head, unsigned char *data,
                         size_t len, struct api_reply *reply)
{
    size_t front = infer->front + (size_t)(data - infer->bytes);

    if (head->len > front)
        return false;
    memcpy(data - head->len, head->data, head->len);
    add_piece(reply, data - head->len, head->len + len);
    return true;
}

static void reply_binary(const struct infer *infer, struct json_writer *head,
                         unsigned char *data, size_t len,
                         struct api_reply *reply)
{
    infer_write_head(infer, len, head);
    if (data != infer->bytes || !put_in_front(infer, head, data, len, reply)) {
        add_piece(reply, head->data, head->len);
        add_piece(reply, data, len);
    }
    if (len > 0) {
        reply->content_type = "application/octet-stream";
        reply->json_len = head->len;
    }
}

/* Where the data lies in the body, as much follows it there: what closes the
 * array and the objects around it. */
static void reply_text(const struct infer *infer, struct json_writer *head,
                       unsigned char *data, size_t len, struct api_reply *reply)
{
    memcpy(data + len, "]}]}", 4);
    len += 4;
    if (data == (unsigned char *)head->data + head->len)
        add_piece(reply, head->data, head->len + len);
    else if (!put_in_front(infer, head, data, len, reply)) {
        add_piece(reply, head->data, head->len);
        add_piece(reply, data, len);
    }
}

void infer_reply(const struct infer *infer, struct json_writer *head,
                 unsigned char *data, size_t len, struct api_reply *reply)
{
    *reply =
        (struct api_reply){.status = 200, .content_type = "application/json"};
    if (infer->npy_head > 0) {
        reply->content_type = "application/x-npy";
        add_piece(reply, infer->bytes - infer->npy_head, infer->npy_head + len);
    } else if (infer->to_text) {
        reply_text(infer, head, data, len, reply);
    } else {
        reply_binary(infer, head, data, len, reply);
    }
}
