/* kernel_table.swap_rows: BATCH planes, SKIP bytes apart, of rows of FIRST to
 * LAST bytes, GAP bytes apart; ROWS lists numbers of rows. They are reversed
 * or, if PARALLEL, the first half changes places with the second. MIDDLE rows
 * in between stay. */
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
    const size_t half = PARALLEL ? (rows + 1) / 2 : 0;
    const size_t row = any_below(rows), byte = any_below(size);
    const size_t start = any_below(BATCH) * (plane + SKIP);
    unsigned char data[bytes], before[bytes];
    const struct strided_rows r = {.b = PARALLEL ? half * step : plane - size,
                                   .a_step = (ptrdiff_t)step,
                                   .b_step = PARALLEL ? (ptrdiff_t)step
                                                      : -(ptrdiff_t)step,
                                   .count = (rows - MIDDLE) / 2,
                                   .size = size,
                                   .batch = BATCH,
                                   .batch_step = plane + SKIP};
    size_t other = rows - 1 - row;

    if (!PARALLEL && row >= r.count && other >= r.count)
        other = row;
    if (PARALLEL)
        other = row < rows / 2 ? row + half : row >= half ? row - half : row;
    memcpy(before, data, bytes);
    KERNEL_TABLE.swap_rows(data, &r);
    CHECK(data[start + row * step + byte] ==
          before[start + other * step + byte]);
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
