/* What memory an answer takes. */
#include <string.h>

#include "api/infer/infer.h"
#include "api/tensor_json/bytes.h"

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
    uint64_t rows = infer->permutation.row_count;
    const struct bytes_rows check = {infer->count, 1, NULL};

    if (infer->from_text && infer->to_text)
        rows = tensor_json_move_capacity(&infer->text, &infer->permutation);
    infer->index_size = rows > SIZE_MAX / 8 ? SIZE_MAX : (size_t)rows * 8;
    if (infer->from_text) {
        infer->data_size = infer->to_text
                               ? infer->text.len
                               : tensor_json_strings_bound(&infer->text);
        return true;
    }
    infer->data_size = infer->call.data.bytes;
    if (!bytes_index(&infer->call.data, &check, NULL, st))
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
        if (!tensor_json_supports(dtype, infer->call.data.name, st))
            return false;
        if (dtype == DTYPE_BOOL && !infer->from_text && !check_bools(infer, st))
            return false;
        infer->data_size = tensor_json_print_bound(dtype, infer->count);
    }
    /* Out of shared memory: to the buffer, or by way of it. */
    if (infer->borrowed && (!infer->target || infer_overlaps(infer)))
        infer->data_size = infer->call.data.bytes;
    if (!infer->from_text)
        return true;
    return tensor_bytes(
        dtype, infer->count, infer->call.data.name,
        infer->to_text ? &infer->scratch_size : &infer->data_size, st);
}

bool infer_size(struct infer *infer, struct status *st)
{
    struct json_writer w;

    json_writer_init(&w, NULL, 0);
    infer_write_head(infer, SIZE_MAX, &w);
    infer->head_size = add(w.len, sizeof("]}]}"));
    if (infer_moves_stretches(infer))
        return size_stretches(infer, st);
    return size_values(infer, st);
}
