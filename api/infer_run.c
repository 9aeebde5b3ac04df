/* Moving the data of one infer request and writing its reply. */
#include <string.h>

#include "api/bytes.h"
#include "api/infer.h"
#include "kernels/move_swap.h"
#include "kernels/scale.h"

bool infer_moves_stretches(const struct infer *infer)
{
    bool untouched =
        infer->from_text && infer->to_text && infer->coefficient == 1.0;

    return untouched || infer->call.data.dtype == DTYPE_BYTES;
}

static size_t add(size_t a, size_t b)
{
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

static bool size_stretches(struct infer *infer, struct status *st)
{
    uint64_t rows = infer->movement.row_count;

    if (infer->from_text && infer->to_text)
        rows = text_move_room(&infer->text, &infer->movement);
    infer->index_size = rows > SIZE_MAX / 8 ? SIZE_MAX : (size_t)rows * 8;
    if (infer->from_text) {
        infer->data_size =
            infer->to_text ? infer->text.len : text_strings_bound(&infer->text);
        return true;
    }
    infer->data_size = infer->call.data.bytes;
    if (!bytes_index(&infer->call.data, infer->count, 1, NULL, NULL, st))
        return false;
    return !infer->to_text || bytes_text_length(&infer->call.data, infer->count,
                                                &infer->data_size, NULL, st);
}

/* A byte that is neither 0 nor 1 has no JSON form. It is looked for before
 * anything moves, so that the error names its place in the input. */
static bool check_bools(const struct infer *infer, struct status *st)
{
    for (size_t i = 0; i < infer->call.data.bytes; i++)
        if (infer->bytes[i] > 1)
            return status_fail(st, STATUS_INVALID,
                               "data[%zu] of '%s' is %d, but a BOOL is 0 or 1",
                               i, infer->call.data.name, infer->bytes[i]);
    return true;
}

static bool size_values(struct infer *infer, struct status *st)
{
    enum dtype dtype = infer->call.data.dtype;

    if (infer->to_text) {
        if (!text_takes(dtype, infer->call.data.name, st))
            return false;
        if (dtype == DTYPE_BOOL && !infer->from_text && !check_bools(infer, st))
            return false;
        infer->data_size = text_bound(dtype, infer->count);
    }
    if (!infer->from_text)
        return true;
    return tensor_bytes(
        dtype, infer->count, infer->call.data.name,
        infer->to_text ? &infer->scratch_size : &infer->data_size, st);
}

bool infer_size(struct infer *infer, struct status *st)
{
    struct json_write w;

    json_write_init(&w, NULL, 0);
    infer_write_head(infer, SIZE_MAX, &w);
    infer->head_size = add(w.len, sizeof("]}]}"));
    if (infer_moves_stretches(infer))
        return size_stretches(infer, st);
    return size_values(infer, st);
}

static bool move_stretches(struct infer *infer, struct stretch *rows,
                           const atomic_bool *cancel, struct status *st)
{
    uint64_t row = infer->movement.row > 0 ? infer->movement.row : 1;

    if (infer->from_text ? !text_index(&infer->text, row, rows, cancel, st)
                         : !bytes_index(&infer->call.data, infer->count, row,
                                        rows, cancel, st))
        return false;
    /* A row is now one stretch. */
    infer->movement.row = 1;
    move_swap(&infer->movement, 64, false, rows, cancel);
    return true;
}

static size_t emit_stretches(const struct infer *infer,
                             const struct stretch *rows, char *out,
                             const atomic_bool *cancel)
{
    uint64_t count = infer->movement.row_count;

    if (infer->from_text)
        return text_strings_to_binary(&infer->text, rows, count, out, cancel);
    if (infer->to_text)
        return bytes_to_text(&infer->call.data, rows, count, out, cancel);
    bytes_emit(&infer->call.data, rows, count, out, cancel);
    return infer->call.data.bytes;
}

/* The bits behind the last packed element are 0 in every answer. */
static void clear_padding(const struct infer *infer, unsigned char *values,
                          size_t bytes)
{
    const struct dtype_info *info = dtype_info(infer->call.data.dtype);
    unsigned used = (unsigned)(infer->count % 8 * info->bits % 8);
    unsigned mask = (1u << used) - 1;

    if (used > 0)
        values[bytes - 1] &=
            (unsigned char)(info->high_first ? mask << (8 - used) : mask);
}

static bool move_values(struct infer *infer, unsigned char *values,
                        size_t bytes, const atomic_bool *cancel,
                        struct status *st)
{
    const struct dtype_info *info = dtype_info(infer->call.data.dtype);

    if (infer->from_text && !text_to_binary(&infer->text, values, cancel, st))
        return false;
    move_swap(&infer->movement, info->bits, info->high_first, values, cancel);
    if (infer->coefficient != 1.0)
        scale_run(infer->call.data.dtype, values, bytes, infer->coefficient,
                  cancel);
    clear_padding(infer, values, bytes);
    return true;
}

/* Moves the data; `out` is the place of the reply's data in the buffer. Sets
 * where the result lies and its length. */
static bool run(struct infer *infer, unsigned char *buffer, char *out,
                const unsigned char **result, size_t *len,
                const atomic_bool *cancel, struct status *st)
{
    unsigned char *values = (unsigned char *)out;
    struct tensor moved = infer->call.data;

    *result = values;
    if (infer_moves_stretches(infer)) {
        struct stretch *rows = (struct stretch *)(void *)buffer;

        if (infer->from_text && infer->to_text)
            return text_move(&infer->text, &infer->movement, rows, out, len,
                             cancel, st);
        if (!move_stretches(infer, rows, cancel, st))
            return false;
        *len = emit_stretches(infer, rows, out, cancel);
        return true;
    }
    moved.bytes = infer->to_text ? infer->scratch_size : infer->data_size;
    if (infer->from_text && infer->to_text)
        values += infer->data_size;
    if (!infer->from_text) {
        values = infer->bytes;
        moved.bytes = infer->call.data.bytes;
    }
    if (!move_values(infer, values, moved.bytes, cancel, st))
        return false;
    moved.data = values;
    if (infer->to_text)
        return text_from_binary(&moved, infer->count, out, len, cancel, st);
    *result = values;
    *len = moved.bytes;
    return true;
}

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
                         const struct json_write *head,
                         const unsigned char *data, size_t len,
                         struct api_reply *reply)
{
    if (data != infer->bytes || head->len > infer->front)
        return false;
    memcpy(infer->bytes - head->len, head->data, head->len);
    add_piece(reply, infer->bytes - head->len, head->len + len);
    return true;
}

static void reply_binary(const struct infer *infer, struct json_write *head,
                         const unsigned char *data, size_t len,
                         struct api_reply *reply)
{
    infer_write_head(infer, len, head);
    if (!put_in_front(infer, head, data, len, reply)) {
        add_piece(reply, head->data, head->len);
        add_piece(reply, data, len);
    }
    if (len > 0) {
        reply->content_type = "application/octet-stream";
        reply->json_len = head->len;
    }
}

bool infer_execute(struct infer *infer, void *buffer, const atomic_bool *cancel,
                   struct api_reply *reply, struct status *st)
{
    char *start = (char *)buffer + infer->index_size;
    const unsigned char *data;
    struct json_write head;
    char *out = start + infer->head_size;
    size_t len = 0;

    json_write_init(&head, start, infer->head_size);
    if (infer->to_text) {
        infer_write_head(infer, 0, &head);
        out = start + head.len;
    }
    if (!run(infer, buffer, out, &data, &len, cancel, st))
        return false;
    if (cancel && atomic_load(cancel))
        return status_fail(st, STATUS_CANCELLED, "the request was cancelled");
    *reply =
        (struct api_reply){.status = 200, .content_type = "application/json"};
    if (infer->to_text) {
        memcpy(out + len, "]}]}", 4);
        add_piece(reply, start, head.len + len + 4);
    } else {
        reply_binary(infer, &head, data, len, reply);
    }
    return true;
}
