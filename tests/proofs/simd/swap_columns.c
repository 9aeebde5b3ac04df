/* kernel_table.swap_columns: COLUMNS sequences side by side of ROWS entries of
 * SIZE bytes. The first SYMBOLIC have any length, of the others each third has
 * none. GAP bytes follow each row; the call covers rows ROW to END - 1. */
#include "kernels/core/size.h"
#include "tests/proofs/harness.h"
#include "tests/proofs/table.h"

enum {
    STEP = COLUMNS * SIZE + GAP,
    BYTES = ROWS * STEP - GAP,
};

int main(void)
{
    unsigned char data[BYTES], before[BYTES];
    int64_t lens[COLUMNS];
    const size_t at = any_below(ROWS), column = any_below(COLUMNS);
    const size_t byte = any_below(SIZE);
    const struct ragged_columns columns = {.size = SIZE,
                                           .count = COLUMNS,
                                           .row = ROW,
                                           .rows = END - ROW,
                                           .step = STEP,
                                           .lens = lens};
    size_t row = at, len, partner;

    for (size_t i = 0; i < COLUMNS; i++)
        lens[i] = i < SYMBOLIC ? any_length(ROWS) : i % 3 ? ROWS : 0;
    memcpy(before, data, BYTES);
    KERNEL_TABLE.swap_columns(data, &columns);

    len = (size_t)lens[column];
    partner = len - 1 - at;
    if (at < len && ROW <= size_min(at, partner) && size_min(at, partner) < END)
        row = partner;
    CHECK(data[at * STEP + column * SIZE + byte] ==
          before[row * STEP + column * SIZE + byte]);
    if (GAP > 0 && at < ROWS - 1)
        CHECK_KEPT(at * STEP + COLUMNS * SIZE + any_below(GAP));
    REACHED();
}
