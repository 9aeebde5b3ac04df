/* Moving the data of one infer request. */
#include <string.h>

#include "api/infer/infer.h"
#include "api/tensor_json/bytes.h"
#include "kernels/core/cancel.h"
#include "kernels/move/copy.h"
#include "kernels/move/scale.h"
#include "kernels/move/swap.h"

/* Stretches are placed as 64-bit elements by the swap mover. */
_Static_assert(sizeof(struct span) == 8, "a stretch is one 64-bit element");

static bool move_stretches(struct infer *infer, struct span *rows,
                           const atomic_bool *cancel, struct status *st)
{
    uint64_t row = infer->permutation.row > 0 ? infer->permutation.row : 1;
    const struct bytes_rows want = {infer->count, row, rows};

    if (infer->from_text
            ? !tensor_json_index(&infer->text, row, rows, cancel, st)
            : !bytes_index(&infer->call.data, &want, cancel, st))
        return false;
    /* A row is now one span. */
    infer->permutation.row = 1;
    move_swap(&infer->permutation, (struct element_format){.bits = 64}, rows,
              cancel);
    return true;
}

static size_t emit_stretches(const struct infer *infer, const struct span *rows,
                             char *out, const atomic_bool *cancel)
{
    uint64_t count = infer->permutation.row_count;

    if (infer->from_text)
        return tensor_json_strings_to_binary(&infer->text, rows, count, out,
                                             cancel);
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
    const struct element_format format = dtype_format(infer->call.data.dtype);

    if (infer->from_text &&
        !tensor_json_to_binary(&infer->text, values, cancel, st))
        return false;
    move_swap(&infer->permutation, format, values, cancel);
    if (infer->coefficient != 1.0)
        scale_run(infer->call.data.dtype, values, bytes, infer->coefficient,
                  cancel);
    clear_padding(infer, values, bytes);
    return true;
}

/* From one place to another: out of shared memory, into it, or within it. */
static void move_across(const struct infer *infer, unsigned char *out,
                        const atomic_bool *cancel)
{
    const struct element_format format = dtype_format(infer->call.data.dtype);
    unsigned char *to = infer->target ? infer->target : out;
    size_t len = infer->call.data.bytes;
    bool apart = !infer_overlaps(infer);

    if (to == infer->bytes)
        move_swap(&infer->permutation, format, to, cancel);
    else
        move_copy(&infer->permutation, format, infer->bytes, apart ? to : out,
                  cancel);
    if (to != infer->bytes && !apart)
        memcpy(to, out, len);
    if (infer->coefficient != 1.0)
        scale_run(infer->call.data.dtype, to, len, infer->coefficient, cancel);
    clear_padding(infer, to, len);
}

static bool move_text(const struct infer *infer, struct span *rows,
                      unsigned char **result, size_t *len,
                      const atomic_bool *cancel, struct status *st)
{
    const struct tensor_json_job job = {.array = &infer->text,
                                        .permutation = &infer->permutation,
                                        .rows = rows,
                                        .scratch = (char *)*result,
                                        .in_place = (char *)infer->bytes,
                                        .cancel = cancel};
    char *out;
    bool moved = tensor_json_move(&job, &out, len, st);

    if (moved)
        *result = (unsigned char *)out;
    return moved;
}

static bool run_stretches(struct infer *infer, struct span *rows, char *out,
                          unsigned char **result, size_t *len,
                          const atomic_bool *cancel, struct status *st)
{
    if (infer->from_text && infer->to_text)
        return move_text(infer, rows, result, len, cancel, st);
    if (!move_stretches(infer, rows, cancel, st))
        return false;
    *len = emit_stretches(infer, rows, out, cancel);
    return true;
}

/* Where values are moved in place: in the body when they came as bytes, else
 * where they go or, when that is text, behind the room for it. */
static unsigned char *place_values(const struct infer *infer,
                                   unsigned char *out, size_t *bytes)
{
    if (!infer->from_text) {
        *bytes = infer->call.data.bytes;
        return infer->bytes;
    }
    *bytes = infer->to_text ? infer->scratch_size : infer->data_size;
    if (infer->target)
        return infer->target;
    return infer->to_text ? out + infer->data_size : out;
}

static bool run_values(struct infer *infer, char *out, unsigned char **result,
                       size_t *len, const atomic_bool *cancel,
                       struct status *st)
{
    struct tensor moved = infer->call.data;
    unsigned char *values =
        place_values(infer, (unsigned char *)out, &moved.bytes);

    if (!move_values(infer, values, moved.bytes, cancel, st))
        return false;
    moved.data = values;
    if (infer->to_text) {
        char *end = out;
        bool printed =
            tensor_json_print(&moved, infer->count, &end, cancel, st);

        *len = (size_t)(end - out);
        return printed;
    }
    *result = values;
    *len = moved.bytes;
    return true;
}

/* Moves the data; `out` is the place of the reply's data in the buffer. Sets
 * where the result lies and its length. */
static bool run(struct infer *infer, unsigned char *buffer, char *out,
                unsigned char **result, size_t *len, const atomic_bool *cancel,
                struct status *st)
{
    struct span *rows = (struct span *)(void *)buffer;

    *result = (unsigned char *)out;
    if (infer_moves_stretches(infer))
        return run_stretches(infer, rows, out, result, len, cancel, st);
    if (infer->from_text || !(infer->borrowed || infer->target))
        return run_values(infer, out, result, len, cancel, st);
    move_across(infer, *result, cancel);
    *len = infer->call.data.bytes;
    return true;
}

/* What was made in the buffer goes to its place in shared memory. */
static bool put_in_region(const struct infer *infer, const unsigned char *data,
                          size_t len, struct status *st)
{
    if (!infer->target || !infer_moves_stretches(infer))
        return true;
    if (len > infer->target_size)
        return status_fail(st, STATUS_INVALID,
                           "'%.64s' takes %zu bytes, but "
                           "shared_memory_byte_size is %zu",
                           infer->output_name, len, infer->target_size);
    memcpy(infer->target, data, len);
    return true;
}

bool infer_execute(struct infer *infer, void *buffer, const atomic_bool *cancel,
                   struct api_reply *reply, struct status *st)
{
    char *start = (char *)buffer + infer->index_size;
    unsigned char *data;
    struct json_writer head;
    char *out = start + infer->head_size;
    size_t len = 0;

    json_writer_init(&head, start, infer->head_size);
    if (infer->to_text) {
        infer_write_head(infer, 0, &head);
        out = start + head.len;
    }
    if (!run(infer, buffer, out, &data, &len, cancel, st) ||
        !put_in_region(infer, data, len, st))
        return false;
    if (infer->target)
        len = 0;
    /* The one test for all movers above: see core/cancel.h. */
    if (cancel_requested(cancel))
        return status_fail(st, STATUS_CANCELLED, "the request was cancelled");
    infer_reply(infer, &head, data, len, reply);
    return true;
}
