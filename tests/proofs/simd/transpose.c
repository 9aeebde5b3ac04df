/* kernel_table.transpose: a matrix of ROWS x COLUMNS elements of SIZE bytes
 * whose rows lie FROM_GAP and TO_GAP bytes apart. */
#include "tests/proofs/harness.h"
#include "tests/proofs/table.h"

enum {
    FROM_STEP = COLUMNS * SIZE + FROM_GAP,
    TO_STEP = ROWS * SIZE + TO_GAP,
    FROM_BYTES = ROWS * FROM_STEP - FROM_GAP,
    BYTES = COLUMNS * TO_STEP - TO_GAP, /* memory begins at a multiple of 64 */
};

int main(void)
{
    unsigned char from[FROM_BYTES], data[BYTES], before[BYTES];
    const size_t row = any_below(ROWS), column = any_below(COLUMNS);
    const size_t byte = any_below(SIZE);
    const struct transpose t = {.size = SIZE,
                                .rows = ROWS,
                                .columns = COLUMNS,
                                .from_step = FROM_STEP,
                                .to_step = TO_STEP,
                                .nontemporal = NONTEMPORAL,
                                .next = from,
                                .next_rows = 2,
                                .next_step = FROM_STEP,
                                .next_bytes = COLUMNS * SIZE};

    memcpy(before, data, BYTES);
    KERNEL_TABLE.transpose(from, data, &t);
    CHECK(data[column * TO_STEP + row * SIZE + byte] ==
          from[row * FROM_STEP + column * SIZE + byte]);
    if (TO_GAP > 0 && column < COLUMNS - 1)
        CHECK_KEPT(column * TO_STEP + ROWS * SIZE + any_below(TO_GAP));
    REACHED();
}
