#include "tests/fuzz/judge.h"

#include <math.h>

enum { MAX_LEVELS = SHAPE_MAX_RANK + 1, MAX_ONES = 10 };

struct levels {
    int count;
    uint64_t extents[MAX_LEVELS];
};

/* The levels along the first items. */
static bool first_path(const json_t *array, struct levels *levels)
{
    levels->count = 0;
    for (; json_is_array(array); array = json_array_get(array, 0)) {
        if (levels->count == MAX_LEVELS)
            return false;
        levels->extents[levels->count++] = json_array_size(array);
    }
    return true;
}

/* Whether the list at `level` and all in it have just these extents. */
static bool is_regular(const json_t *value, const struct levels *levels,
                       int level)
{
    if (level == levels->count)
        return !json_is_array(value);
    if (!json_is_array(value) ||
        json_array_size(value) != levels->extents[level])
        return false;
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!is_regular(json_array_get(value, i), levels, level + 1))
            return false;
    return true;
}

static bool equal(const struct levels *a, const struct levels *b)
{
    if (a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++)
        if (a->extents[i] != b->extents[i])
            return false;
    return true;
}

/* The shape without the dims of 1 that are set in `dropped`, counted among the
 * dims of 1, and without all behind a 0. */
static struct levels drop(const struct shape *shape, unsigned dropped)
{
    struct levels levels = {0};
    int ones = 0;

    for (int i = 0; i < shape->rank; i++) {
        if (shape->dims[i] == 1 && dropped >> ones++ & 1)
            continue;
        levels.extents[levels.count++] = (uint64_t)shape->dims[i];
        if (shape->dims[i] == 0)
            break;
    }
    return levels;
}

static bool fits(const struct levels *levels, const struct shape *shape,
                 unsigned dropped, bool complex)
{
    struct levels wanted = drop(shape, dropped);
    int last = wanted.count - 1;

    if (equal(levels, &wanted))
        /* One number is no complex element. */
        return !complex || (last >= 0 && wanted.extents[last] == 0);
    if (!complex)
        return false;
    if (last >= 0) {
        wanted.extents[last] *= 2;
        if (equal(levels, &wanted))
            return true;
        wanted.extents[last] /= 2;
    }
    wanted.extents[wanted.count++] = 2;
    return equal(levels, &wanted);
}

static enum judge_verdict judge_nesting(const json_t *array, bool complex,
                                        const struct shape *shape)
{
    uint64_t count = 1, numbers = 1;
    struct levels levels;
    int ones = 0;

    if (!first_path(array, &levels) || !is_regular(array, &levels, 0))
        return JUDGE_REFUSE;
    for (int i = 0; i < levels.count; i++)
        numbers *= levels.extents[i];
    for (int i = 0; i < shape->rank; i++) {
        if (shape->dims[i] != 0 && count > UINT32_MAX)
            return JUDGE_UNSURE;
        count *= (uint64_t)shape->dims[i];
        ones += shape->dims[i] == 1;
    }
    if (numbers != count * (complex ? 2 : 1))
        return JUDGE_REFUSE;
    if (levels.count == 1 ||
        (complex && levels.count == 2 && levels.extents[1] == 2))
        return JUDGE_ACCEPT;
    if (ones > MAX_ONES)
        return JUDGE_UNSURE;
    for (unsigned dropped = 0; dropped < 1U << ones; dropped++)
        if (fits(&levels, shape, dropped, complex))
            return JUDGE_ACCEPT;
    return JUDGE_REFUSE;
}

static enum judge_verdict judge_integer(const json_t *leaf,
                                        const struct dtype_traits *info)
{
    bool is_signed = info->kind == DTYPE_KIND_INT;
    unsigned bits = info->bits - is_signed;
    int64_t value = json_integer_value(leaf);

    if (!json_is_integer(leaf))
        return JUDGE_REFUSE;
    if (value < 0)
        return is_signed && value >> bits == -1 ? JUDGE_ACCEPT : JUDGE_REFUSE;
    return bits == 64 || value >> bits == 0 ? JUDGE_ACCEPT : JUDGE_REFUSE;
}

/* Where a number starts to round to infinity. */
static double edge(enum dtype dtype)
{
    switch (dtype) {
    case DTYPE_FP16:
        return 65520;
    case DTYPE_BF16:
        return 0x1.FFp127;
    case DTYPE_FP32:
    case DTYPE_COMPLEX64:
        return 0x1.FFFFFFp127;
    default:
        return HUGE_VAL;
    }
}

static enum judge_verdict judge_float(const json_t *leaf, enum dtype dtype)
{
    double value = fabs(json_number_value(leaf));

    if (!json_is_number(leaf))
        return JUDGE_REFUSE;
    if (value == edge(dtype))
        return JUDGE_UNSURE;
    return value < edge(dtype) ? JUDGE_ACCEPT : JUDGE_REFUSE;
}

static enum judge_verdict judge_leaf(const json_t *leaf, enum dtype dtype)
{
    const struct dtype_traits *info = dtype_info(dtype);

    switch (info->kind) {
    case DTYPE_KIND_BOOL:
        return json_is_boolean(leaf) ? JUDGE_ACCEPT : JUDGE_REFUSE;
    case DTYPE_KIND_INT:
    case DTYPE_KIND_UINT:
        return judge_integer(leaf, info);
    case DTYPE_KIND_FLOAT:
    case DTYPE_KIND_COMPLEX:
        return judge_float(leaf, dtype);
    case DTYPE_KIND_BYTES:
        return json_is_string(leaf) ? JUDGE_ACCEPT : JUDGE_REFUSE;
    case DTYPE_KIND_OPAQUE:
        break; /* an array without elements has a JSON form */
    }
    return JUDGE_REFUSE;
}

static enum judge_verdict judge_leaves_of(const json_t *array, enum dtype dtype)
{
    enum judge_verdict verdict = JUDGE_ACCEPT;

    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *item = json_array_get(array, i);
        enum judge_verdict one = json_is_array(item)
                                     ? judge_leaves_of(item, dtype)
                                     : judge_leaf(item, dtype);

        if (one == JUDGE_REFUSE)
            return JUDGE_REFUSE;
        if (one == JUDGE_UNSURE)
            verdict = JUDGE_UNSURE;
    }
    return verdict;
}

enum judge_verdict judge_array(const json_t *array, enum dtype dtype,
                               const struct shape *shape)
{
    enum dtype_kind kind = dtype_info(dtype)->kind;
    enum judge_verdict nesting, leaves;

    nesting = judge_nesting(array, kind == DTYPE_KIND_COMPLEX, shape);
    if (nesting == JUDGE_REFUSE)
        return JUDGE_REFUSE;
    leaves = judge_leaves_of(array, dtype);
    return leaves == JUDGE_ACCEPT ? nesting : leaves;
}

struct shape judge_shape(const json_t *array, enum dtype dtype)
{
    bool complex = dtype_info(dtype)->kind == DTYPE_KIND_COMPLEX;
    struct shape shape = {0};
    struct levels levels;
    int last;

    first_path(array, &levels);
    last = levels.count - 1;
    if (complex && last >= 0 && levels.extents[last] == 2 && last > 0)
        levels.count--;
    else if (complex && last >= 0)
        levels.extents[last] /= 2;
    for (; shape.rank < levels.count && shape.rank < SHAPE_MAX_RANK;
         shape.rank++)
        shape.dims[shape.rank] = (int64_t)levels.extents[shape.rank];
    return shape;
}

size_t judge_leaves(const json_t *array, const json_t **leaves, size_t limit)
{
    size_t count = 0;

    for (size_t i = 0; i < json_array_size(array) && count < limit; i++) {
        const json_t *item = json_array_get(array, i);

        if (json_is_array(item))
            count += judge_leaves(item, leaves + count, limit - count);
        else
            leaves[count++] = item;
    }
    return count;
}
