/* kernel_table.swap_ragged_rows: two sequences of ROWS rows of SIZE bytes. Rows
 * FIRST to LAST in turn are the length of the first, and what is left of ROWS
 * that of the second. */
#include "tests/proofs/harness.h"
#include "tests/proofs/table.h"

enum {
    SEQUENCE = ROWS * SIZE,
    BYTES = 2 * SEQUENCE,
};

static void prove(size_t length)
{
    unsigned char data[BYTES], before[BYTES];
    const int64_t lens[2] = {(int64_t)length, (int64_t)(ROWS - length)};
    const struct ragged_rows rows = {
        .size = SIZE, .rows = ROWS, .count = 2, .lens = lens};
    const size_t i = any_below(2), row = any_below(ROWS),
                 byte = any_below(SIZE);
    const size_t start = i * SEQUENCE, len = (size_t)lens[i];
    const size_t other = row < len ? len - 1 - row : row;

    memcpy(before, data, BYTES);
    KERNEL_TABLE.swap_ragged_rows(data, &rows);
    CHECK(data[start + row * SIZE + byte] ==
          before[start + other * SIZE + byte]);
}

int main(void)
{
    for (size_t len = FIRST; len <= LAST; len++)
        prove(len);
    REACHED();
}
