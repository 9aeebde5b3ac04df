/* op_table_find() and op_attribute_find() of any name, and op_describe() of an
 * operator that says no or yes. */
#include "kernels/ops/op.h"
#include "tests/proofs/harness.h"

enum { NAME = 4 };

static const struct attribute attributes[] = {
    {.name = "b"}, {.name = "ba", .alias = "c a"}, {0}};
static bool described, collapsed, answer;

static bool describe(const struct op *op, const struct op_call *call,
                     struct permutation *p, struct status *st)
{
    described = true;
    return answer;
}

static const struct op one = {
    .name = "on", .attributes = attributes, .describe = describe};
static const struct op two = {.name = "one", .attributes = attributes};
static const struct op *const table[] = {&one, &two, NULL};

#define op_table table
#include "kernels/ops/op.c"

void permutation_init(struct permutation *p, const struct shape *shape,
                      bool column_major)
{
    p->is_mirrored = column_major;
}

void permutation_collapse(struct permutation *p)
{
    CHECK(described && answer);
    collapsed = true;
}

static bool is(const char *name, size_t len, const char *text)
{
    for (size_t i = 0; i < len; i++)
        if (!text[i] || name[i] != text[i])
            return false;
    return !text[len];
}

int main(void)
{
    char name[NAME + 1];
    size_t len = any_below(NAME + 1);
    struct op_call call = {.column_major = nondet_bool()};
    struct permutation p;
    struct status st;

    CHECK(op_table_find(name, len) == (is(name, len, "on")    ? &one
                                       : is(name, len, "one") ? &two
                                                              : NULL));
    name[len] = '\0';
    for (size_t i = 0; i < len; i++)
        ASSUME(name[i]);
    CHECK(op_attribute_find(&one, name) ==
          (is(name, len, "b")                            ? 0
           : is(name, len, "ba") || is(name, len, "c a") ? 1
                                                         : -1));
    answer = nondet_bool();
    CHECK(op_describe(&one, &call, &p, &st) == answer);
    CHECK(described && collapsed == answer &&
          p.is_mirrored == call.column_major);
    REACHED();
}
