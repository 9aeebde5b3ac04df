#include "kernels/flip/flip.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/move/move.h"
#include "kernels/ops/op.h"

static_assert((int)FLIP_MAX_RANK == (int)SHAPE_MAX_RANK &&
                  (int)FLIP_ERROR_SIZE == (int)STATUS_MESSAGE_SIZE,
              "the header repeats these");
#define SAME(name, ...)                                                        \
    static_assert((int)FLIP_##name == (int)DTYPE_##name, #name);
DTYPE_LIST(SAME)

struct flip {
    struct permutation permutation;
    struct element_format format;
    enum dtype dtype;
    size_t bytes, scratch;
};

/* Where the attributes of the axes are in the tables of the sequence operators,
 * as the mode is in that of Reverse. */
enum { BATCH, TIME };

/* Fills in `to`, which has its name. */
static bool read_tensor(const struct flip_tensor *from, struct tensor *to,
                        struct status *st)
{
    to->dtype = (enum dtype)from->datatype;
    if (to->dtype >= DTYPE_COUNT)
        return status_fail(st, STATUS_INVALID,
                           "%s has datatype %d, but they are from 0 to %d",
                           to->name, (int)to->dtype, DTYPE_COUNT - 1);
    to->data = from->data;
    return shape_read(&to->shape, from->dims, from->rank, to->name, st);
}

/* What an operator's describe() does not check: the size of the data in memory,
 * and that every entry of the control input is there. */
static bool check_memory(const struct op_call *call, size_t *bytes,
                         struct status *st)
{
    const struct tensor *data = &call->data, *control = &call->control;
    uint64_t count;

    if (dtype_info(data->dtype)->kind == DTYPE_KIND_BYTES)
        return status_fail(st, STATUS_INVALID,
                           "%s is BYTES, whose elements have no fixed size",
                           data->name);
    if (!shape_count(&data->shape, data->name, &count, st) ||
        !tensor_bytes(data->dtype, count, data->name, bytes, st) ||
        !shape_count(&control->shape, control->name, &count, st))
        return false;
    if (count > 0 && !control->data)
        return status_fail(st, STATUS_INVALID, "the data of %s is NULL",
                           control->name);
    return true;
}

static struct flip *make(const struct op *op,
                         const struct attribute_value *attributes,
                         const struct flip_tensor *data,
                         const struct flip_tensor *control, char *error)
{
    struct op_call call = {.attributes = attributes,
                           .data.name = op->data,
                           .control.name = op->control};
    struct flip *flip = calloc(1, sizeof(*flip));
    struct status st = {STATUS_NO_MEMORY, "no memory for the description"};

    if (flip && read_tensor(data, &call.data, &st) &&
        read_tensor(control, &call.control, &st) &&
        check_memory(&call, &flip->bytes, &st) &&
        op_describe(op, &call, &flip->permutation, &st)) {
        flip->format = dtype_format(call.data.dtype);
        flip->dtype = call.data.dtype;
        flip->scratch = move_scratch(&flip->permutation, flip->format);
        return flip;
    }
    if (error)
        memcpy(error, st.message, sizeof(st.message));
    flip_free(flip);
    return NULL;
}

static const struct op *find(const char *name)
{
    return op_table_find(name, strlen(name));
}

/* OpenVINO's rules, which allow what any of the operators does, under the names
 * of `named`. */
static struct flip *make_sequence(const struct op *named,
                                  const struct flip_tensor *data,
                                  const struct flip_tensor *lens,
                                  int batch_axis, int time_axis, char *error)
{
    const struct attribute_value axes[] = {
        [BATCH] = {.given = true, .integer = batch_axis},
        [TIME] = {.given = true, .integer = time_axis},
    };
    struct op op = *named;

    op.rules = find("openvino.ReverseSequence")->rules;
    return make(&op, axes, data, lens, error);
}

struct flip *flip_reverse_sequence(const struct flip_tensor *input,
                                   const struct flip_tensor *lens,
                                   int batch_axis, int time_axis, char *error)
{
    return make_sequence(find("onnx.ReverseSequence"), input, lens, batch_axis,
                         time_axis, error);
}

struct flip *flip_reverse_sequence_grad(const struct flip_tensor *dy,
                                        const struct flip_tensor *lens,
                                        int batch_axis, int time_axis,
                                        char *error)
{
    return make_sequence(find("graiphic.ReverseSequenceGrad"), dy, lens,
                         batch_axis, time_axis, error);
}

struct flip *flip_reverse(const struct flip_tensor *data,
                          const struct flip_tensor *axes, char *error)
{
    const struct attribute_value mode = {
        .given = true, .text = axes->datatype == FLIP_BOOL ? "mask" : "index"};

    return make(find("openvino.Reverse"), &mode, data, axes, error);
}

size_t flip_bytes(const struct flip *flip)
{
    return flip->bytes;
}

size_t flip_scratch(const struct flip *flip)
{
    return flip->scratch;
}

void flip_in_place(const struct flip *flip, void *data, void *scratch)
{
    move_swap(&flip->permutation, flip->format, data, scratch, NULL);
}

void flip_copy(const struct flip *flip, const void *from, void *to,
               void *scratch)
{
    size_t last = flip->bytes - 1;

    if (flip->format.bits < 8 && flip->bytes > 0) /* has bits of no element */
        ((char *)to)[last] = ((const char *)from)[last];
    move_copy(&flip->permutation, flip->format, from, to, scratch, NULL);
}

int flip_scale(const struct flip *flip, void *data, double coefficient)
{
    if (!dtype_is_scalable(flip->dtype))
        return -1;
    if (coefficient != 1)
        scale_run(flip->dtype, data, flip->bytes, coefficient, NULL);
    return 0;
}

void flip_free(struct flip *flip)
{
    if (flip)
        permutation_free(&flip->permutation);
    free(flip);
}
