/* kernel_table.copy_rows: BATCH planes, SKIP bytes apart, of rows of FIRST to
 * LAST bytes, GAP bytes apart, are copied in reverse order; ROWS lists numbers
 * of rows. */
#include "tests/proofs/harness.h"
#include "tests/proofs/table.h"

static const size_t numbers[] = {ROWS};
enum {
    NUMBERS = sizeof(numbers) / sizeof(*numbers),
};

static void prove(size_t size, size_t rows)
{
    const size_t step = size + GAP, plane = rows * step - GAP;
    const size_t bytes = BATCH * (plane + SKIP) - SKIP;
    const size_t row = any_below(rows), byte = any_below(size);
    const size_t start = any_below(BATCH) * (plane + SKIP);
    unsigned char from[bytes], data[bytes], before[bytes];
    const struct strided_rows r = {.b = plane - size,
                                   .a_step = (ptrdiff_t)step,
                                   .b_step = -(ptrdiff_t)step,
                                   .count = rows,
                                   .size = size,
                                   .batch = BATCH,
                                   .batch_step = plane + SKIP};

    memcpy(before, data, bytes);
    KERNEL_TABLE.copy_rows(from, data, &r);
    CHECK(data[start + row * step + byte] ==
          from[start + (rows - 1 - row) * step + byte]);
    if (GAP > 0 && row < rows - 1)
        CHECK_KEPT(start + row * step + size + any_below(GAP));
    if (SKIP > 0 && start + plane < bytes)
        CHECK_KEPT(start + plane + any_below(SKIP));
}

int main(void)
{
    for (size_t size = FIRST; size <= LAST; size++)
        for (size_t i = 0; i < NUMBERS; i++)
            prove(size, numbers[i]);
    REACHED();
}
