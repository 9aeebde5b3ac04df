/* columns_move() and columns_scratch() over the contracts of the kernels, which
 * take along one byte, the token: any one of COUNT columns of TIME entries of
 * SIZE bytes, STEP bytes apart, or of what is beside them. SIDE is the table's
 * transpose_side. All lengths of which the longest
 * is LONGEST, scratch
 * memory from byte START on, or none where that is -1, all ways to
 * be cancelled. */
#include "tests/proofs/move/cancelled.h"

#include <string.h>
static void *token_memcpy(void *to, const void *from, size_t bytes);
#define memcpy token_memcpy
/* longest_of(args) becomes the constant of a run, for which every loop is one
 * of constants; its definition stays (longest.c proves it). */
#define longest_of(first) LONGEST_OF_##first)
#define LONGEST_OF_const longest_of(const
#define LONGEST_OF_args ((size_t)LONGEST
#include "kernels/move/columns.c"
#undef memcpy

enum { TOTAL = TIME * STEP, SCRATCH = 2 * TOTAL + 4096 * COUNT, NOWHERE = -1 };

static unsigned char from_bytes[TOTAL], to_bytes[TOTAL], scratch_bytes[SCRATCH];
static size_t scratch_end; /* from START on: what the mover may use */
static int64_t lens[COUNT];

/* Offsets of 32 bits are divided faster. */
typedef uint32_t offset;

static offset origin, in_result, in_scratch; /* where the token is */

void require_failed(const char *file, int line, const char *condition,
                    const char *format, ...)
{
    CHECK(!file); /* never called */
    ASSUME(false);
}

static bool is_scratch(const unsigned char *at)
{
    return __CPROVER_same_object(at, scratch_bytes);
}

static offset *token_of(const unsigned char *at)
{
    return is_scratch(at)                        ? &in_scratch
           : __CPROVER_same_object(at, to_bytes) ? &in_result
                                                 : &origin;
}

static offset offset_of(const unsigned char *at)
{
    return (offset)(is_scratch(at)                        ? at - scratch_bytes
                    : __CPROVER_same_object(at, to_bytes) ? at - to_bytes
                                                          : at - from_bytes);
}

/* Bytes first .. first + bytes - 1 of the memory of `at` may be used. */
static void expect_inside(const unsigned char *at, size_t bytes)
{
    size_t first = offset_of(at);

    if (is_scratch(at))
        CHECK(first >= START && first + bytes <= scratch_end);
    else
        CHECK(first + bytes <= TOTAL);
}

static void *token_memcpy(void *to, const void *from, size_t bytes)
{
    offset a = offset_of(to), b = offset_of(from);

    CHECK(!COPY || __CPROVER_same_object(from, from_bytes));
    CHECK(COPY && __CPROVER_same_object(to, to_bytes));
    expect_tests(bytes);
    expect_inside(to, bytes);
    expect_inside(from, bytes);
    if (origin >= b && origin - b < bytes)
        in_result = a + (origin - b);
    else if (in_result >= a && in_result - a < bytes)
        in_result = (offset)NOWHERE;
    return to;
}

static void token_swap_columns(unsigned char *data,
                               const struct ragged_columns *c)
{
    offset at = in_result - offset_of(data), row = at / (offset)c->step;
    offset rest = at % (offset)c->step, column = rest / (offset)c->size;

    CHECK(__CPROVER_same_object(data, to_bytes) && c->lens == lens);
    CHECK(c->rows > 0 && c->count == COUNT && c->size == SIZE);
    expect_tests(c->rows * c->count * c->size);
    if (in_result == (offset)NOWHERE || in_result < offset_of(data) ||
        column >= c->count)
        return;
    offset len = (offset)lens[column],
           first = row < len / 2 ? row : len - 1 - row;

    if (row < len && first < len / 2 && first >= c->row &&
        first - c->row < c->rows)
        in_result += (len - 1 - row - row) * (offset)c->step;
}

static void token_transpose(const unsigned char *from, unsigned char *to,
                            const struct transpose *t)
{
    offset *source = token_of(from), *target = token_of(to);
    offset a = offset_of(to), b = offset_of(from);
    offset at = *source - b, row = at / (offset)t->from_step;
    offset rest = at % (offset)t->from_step, column = rest / (offset)t->size;
    offset over = *target - a;

    CHECK(t->size == SIZE && is_scratch(from) != is_scratch(to));
    CHECK(is_scratch(to) ? from >= (COPY ? from_bytes : to_bytes)
                         : __CPROVER_same_object(to, to_bytes));
    CHECK(!t->nontemporal || !is_scratch(to));
    expect_tests(t->rows * t->columns * t->size);
    expect_inside(from, (t->rows - 1) * t->from_step + t->columns * t->size);
    expect_inside(to, (t->columns - 1) * t->to_step + t->rows * t->size);
    if (*source != (offset)NOWHERE && *source >= b && row < t->rows &&
        column < t->columns)
        *target = a + column * (offset)t->to_step + row * SIZE + rest % SIZE;
    else if (*target != (offset)NOWHERE && *target >= a &&
             over / (offset)t->to_step < t->columns &&
             over % (offset)t->to_step < t->rows * SIZE)
        *target = (offset)NOWHERE;
}

static void transpose_wide(const unsigned char *from, unsigned char *to,
                           const struct transpose *t)
{
    CHECK(t->rows * SIZE >= SIDE && t->columns * SIZE >= SIDE);
    token_transpose(from, to, t);
}

static void transpose_generic(const unsigned char *from, unsigned char *to,
                              const struct transpose *t)
{
    CHECK(t->rows * SIZE >= 16 && t->columns * SIZE >= 16);
    token_transpose(from, to, t);
}

static void token_ragged(unsigned char *data, const struct ragged_rows *r)
{
    offset pitch = (offset)(r->rows * r->size),
           at = in_scratch - offset_of(data);
    offset column = at / pitch, row = at % pitch / SIZE, len;

    CHECK(is_scratch(data) && r->size == SIZE && r->count > 0);
    CHECK(r->lens >= lens && (size_t)(r->lens - lens) + r->count <= COUNT);
    expect_inside(data, r->count * pitch);
    expect_tests(0);
    if (in_scratch == (offset)NOWHERE || in_scratch < offset_of(data) ||
        column >= r->count)
        return;
    len = (offset)r->lens[column];
    CHECK(len <= r->rows);
    if (row < len)
        in_scratch += (len - 1 - row - row) * SIZE;
}

const struct kernel_table kernel_table_generic = {
    .transpose = transpose_generic, .transpose_side = 16};

static const struct kernel_table table = {.swap_ragged_rows = token_ragged,
                                          .swap_columns = token_swap_columns,
                                          .transpose = transpose_wide,
                                          .transpose_side = SIDE};

int main(void)
{
    struct cancel_check check = {.flag = &flag};
    struct columns_args args = {.size = SIZE,
                                .count = COUNT,
                                .time = TIME,
                                .step = STEP,
                                .lens = lens,
                                .from = COPY ? from_bytes : to_bytes,
                                .to = to_bytes,
                                .kernels = &table,
                                .cancel = &check};
    offset at = (offset)any_below(TOTAL), row = at / STEP, rest = at % STEP;
    bool beside = rest >= COUNT * SIZE, done;
    offset target = at;

    for (size_t i = 0; i < COUNT; i++)
        lens[i] = any_length(LONGEST);
    ASSUME(lens[any_below(COUNT)] == LONGEST);
    if (START >= 0 && columns_scratch(&args) > 0) {
        scratch_end = START + columns_scratch(&args);
        CHECK(scratch_end <= SCRATCH);
        args.scratch = scratch_bytes + START;
    }
    in_scratch = (offset)NOWHERE;
    origin = COPY && !beside ? at : (offset)NOWHERE;
    in_result = COPY && !beside ? (offset)NOWHERE : at;
    done = columns_move(&args);
    CHECK(done == !cancelled);
    if (!beside && row < lens[rest / SIZE])
        target = ((offset)lens[rest / SIZE] - 1 - row) * STEP + rest;
    CHECK(!done || in_result == target);
    REACHED();
}
