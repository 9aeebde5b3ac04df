/* What columns.c computes of any lengths of COUNT columns: the longest, and the
 * bytes of scratch memory for columns of SIZE bytes of any time and step. */
#include "kernels/move/columns.c"
#include "tests/proofs/harness.h"

const struct kernel_table kernel_table_generic = {.transpose_side = 16};

void require_failed(const char *file, int line, const char *condition,
                    const char *format, ...)
{
    CHECK(!file); /* never called */
    ASSUME(false);
}

int main(void)
{
    static const struct kernel_table table = {.transpose_side = SIDE};
    int64_t lens[COUNT];
    struct columns_args args = {.size = SIZE,
                                .count = COUNT,
                                .time = any_below((size_t)1 << 40),
                                .step = any_below((size_t)1 << 20),
                                .lens = lens,
                                .kernels = &table};
    size_t any = any_below(COUNT), longest, scratch;
    bool is_one = false;

    ASSUME(args.time > 0 && args.step >= COUNT * SIZE);
    for (size_t i = 0; i < COUNT; i++)
        lens[i] = any_length(args.time);
    longest = longest_of(&args);
    CHECK((size_t)lens[any] <= longest);
    for (size_t i = 0; i < COUNT; i++)
        is_one = is_one || (size_t)lens[i] == longest;
    CHECK(is_one);
    scratch = columns_scratch(&args);
    CHECK(scratch <= 2 * (size_t)MAX_SCRATCH_BYTES + LINE);
    REACHED();
}
