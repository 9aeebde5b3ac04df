#include "tests/bench/programs/operators.h"

#include "kernels/move/move.h"
#include "kernels/ops/op.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)BENCH_MAX_RANK == (int)SHAPE_MAX_RANK,
               "a call copies its dims");

static struct op_call describe_call(const struct bench_call *call,
                                    struct attribute_value *attributes)
{
    struct op_call described = {
        .data = {.name = "data", .dtype = DTYPE_FP32},
        .control = {.name = "control",
                    .dtype = DTYPE_INT64,
                    .shape = {.rank = 1, .dims = {call->control_count}},
                    .data = (const unsigned char *)call->control,
                    .bytes = (size_t)call->control_count * sizeof(int64_t)},
        .attributes = attributes};

    described.data.shape.rank = call->rank;
    memcpy(described.data.shape.dims, call->dims, sizeof(call->dims));
    return described;
}

static bool move(const struct bench_call *call, const struct permutation *m)
{
    const struct element_format format = {.bits = 32};

    void *scratch = malloc(move_scratch(m, format));
    bool moved = call->to
                     ? move_copy(m, format, call->from, call->to, scratch, NULL)
                     : move_swap(m, format, call->from, scratch, NULL);

    free(scratch);
    return moved;
}

int bench_operator(const struct bench_call *call)
{
    const struct op *op = op_table_find(call->op, strlen(call->op));
    struct attribute_value attributes[OP_MAX_ATTRIBUTES] = {
        {.given = true, .integer = call->axes[0], .text = "index"},
        {.given = true, .integer = call->axes[1]}};
    struct op_call described = describe_call(call, attributes);
    struct permutation m = {0};
    struct status st;
    bool moved;

    moved = op && op_describe(op, &described, &m, &st) && move(call, &m);
    permutation_free(&m);
    return moved ? 0 : 1;
}

void bench_memcpy(void *to, const void *from, size_t bytes, size_t runs)
{
    for (size_t i = 0; i < runs; i++) {
        memcpy(to, from, bytes);
        /* The compiler must not see that once would do. */
        __asm__ volatile("" : : "r"(to), "r"(from) : "memory");
    }
}
