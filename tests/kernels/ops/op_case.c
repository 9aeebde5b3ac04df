#include "tests/kernels/ops/op_case.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/core/dtype.h"
#include "kernels/move/move.h"
#include "kernels/ops/op.h"
#include "tests/heap_in_use.h"

void op_case_init(struct op_case *c, const struct op *op, enum dtype dtype,
                  int rank, const int64_t *dims)
{
    memset(c, 0, sizeof(*c));
    c->op = op;
    c->call.attributes = c->values;
    for (int i = 0; op->attributes[i].name; i++) {
        c->values[i].integer = (int64_t)op->attributes[i].fallback;
        c->values[i].number = op->attributes[i].fallback;
        c->values[i].flag = op->attributes[i].fallback > 0;
    }
    c->call.data.name = op->data;
    c->call.data.dtype = dtype;
    c->call.data.shape.rank = rank;
    for (int i = 0; i < rank; i++)
        c->call.data.shape.dims[i] = dims[i];
    c->call.control.name = op->control;
    op_case_control(c, DTYPE_INT64, 0, NULL);
}

static struct attribute_value *give(struct op_case *c, const char *name)
{
    for (int i = 0; c->op->attributes[i].name; i++) {
        if (strcmp(c->op->attributes[i].name, name) == 0) {
            c->values[i].given = true;
            return &c->values[i];
        }
    }
    ck_abort_msg("%s has no attribute %s", c->op->name, name);
    return NULL;
}

void op_case_integer(struct op_case *c, const char *name, int64_t value)
{
    give(c, name)->integer = value;
}

void op_case_text(struct op_case *c, const char *name, const char *value)
{
    give(c, name)->text = value;
}

static void encode(enum dtype dtype, int64_t value, unsigned char *at)
{
    uint16_t half;
    float single = (float)value;
    double number = (double)value;

    switch (dtype) {
    case DTYPE_FP16:
    case DTYPE_BF16:
        half = dtype == DTYPE_FP16 ? half_fp16_from_double(number)
                                   : half_bf16_from_double(number);
        memcpy(at, &half, sizeof(half));
        break;
    case DTYPE_FP32:
        memcpy(at, &single, sizeof(single));
        break;
    case DTYPE_FP64:
        memcpy(at, &number, sizeof(number));
        break;
    default: /* little-endian: the low bytes are the narrow number */
        memcpy(at, &value, dtype_info(dtype)->bits / 8);
    }
}

void op_case_control(struct op_case *c, enum dtype dtype, int64_t count,
                     const int64_t *values)
{
    size_t size = dtype_info(dtype)->bits / 8;

    c->call.control.dtype = dtype;
    c->call.control.shape.rank = 1;
    c->call.control.shape.dims[0] = count;
    /* At an odd address, as in a request. */
    c->call.control.data = c->control + 1;
    c->call.control.bytes = size * (size_t)count;
    if (c->call.control.bytes >= OP_CASE_CONTROL)
        ck_abort_msg("a list of %lld is too long", (long long)count);
    for (int64_t i = 0; size && i < count; i++)
        encode(dtype, values[i], c->control + 1 + (size_t)i * size);
}

void op_case_accepted(struct op_case *c)
{
    if (!op_describe(c->op, &c->call, &c->p, &c->st))
        ck_abort_msg("%s refused: %s", c->op->name, c->st.message);
}

void op_case_refused(struct op_case *c, const char *format, ...)
{
    char message[STATUS_MESSAGE_SIZE];
    size_t before = 0;
    va_list values;

    va_start(values, format);
    vsnprintf(message, sizeof(message), format, values);
    va_end(values);
    /* calloc() takes no block from the thread's cache before that is full. */
    for (int i = 0; i < 20; i++) {
        memset(&c->p, 0xA5, sizeof(c->p));
        if (op_describe(c->op, &c->call, &c->p, &c->st))
            ck_abort_msg("%s accepted what is wrong: %s", c->op->name, message);
        permutation_free(&c->p);
        if (i == 9)
            before = heap_in_use();
    }
    if (heap_in_use() > before)
        ck_abort_msg("%s leaves memory behind: %s", c->op->name, message);
    ck_assert_int_eq(c->st.code, STATUS_INVALID);
    ck_assert_str_eq(c->st.message, message);
}

void op_case_moves(struct op_case *c, const struct naive *n)
{
    uint64_t count = naive_count(n);
    uint32_t *from = calloc(count + 1, sizeof(*from));
    uint32_t *to = calloc(count + 1, sizeof(*to));

    for (uint32_t i = 0; i < count; i++)
        from[i] = i;
    op_case_accepted(c);
    ck_assert(
        move_copy(&c->p, dtype_format(DTYPE_UINT32), from, to, NULL, NULL));
    for (uint64_t i = 0; i < count; i++)
        if (to[i] != naive_source(n, i))
            ck_abort_msg("%s puts %u at %u", c->op->name, to[i], (unsigned)i);
    permutation_free(&c->p);
    free(from);
    free(to);
}

const struct op *const sequence_ops[SEQUENCE_OPS] = {
    &op_onnx_reverse_sequence,
    &op_graiphic_reverse_sequence,
    &op_graiphic_reverse_sequence_grad,
    &op_openvino_reverse_sequence,
};

void sequence_case_init(struct op_case *c, const struct op *op)
{
    bool batch_major = op == &op_openvino_reverse_sequence;

    op_case_init(c, op, DTYPE_FP32, 3,
                 batch_major ? (int64_t[]){4, 8, 2} : (int64_t[]){8, 4, 2});
    op_case_control(c, DTYPE_INT64, 4, (int64_t[]){8, 0, 1, 5});
}

void sequence_case_refused(struct op_case *c, const char *format)
{
    bool batch_major = c->op == &op_openvino_reverse_sequence;
    const char *const values[] = {
        c->op->data, c->op->control, c->op->attributes[SEQUENCE_TIME].name,
        batch_major ? "0" : "1", batch_major ? "1" : "0"};
    static const char holes[] = "~@%#$";
    char message[STATUS_MESSAGE_SIZE];
    size_t len = 0;

    for (; *format; format++) {
        const char *hole = strchr(holes, *format);

        len += (size_t)snprintf(message + len, sizeof(message) - len, "%.*s",
                                hole ? 100 : 1,
                                hole ? values[hole - holes] : format);
    }
    op_case_refused(c, "%s", message);
}
