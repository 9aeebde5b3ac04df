/* kernel_table.swap_rows: planes whose ROWS rows of SIZE bytes are reversed,
 * BATCH of them, GAP bytes apart. */
#include TABLE

#include "tests/proofs/harness.h"

enum {
    PLANE = ROWS * SIZE,
    STEP = PLANE + GAP,
    BYTES = GUARD + BATCH * STEP + GUARD,
};

int main(void)
{
    unsigned char data[BYTES], before[BYTES];
    size_t source[BYTES];
    const struct strided_rows rows = {.b = PLANE - SIZE,
                                      .a_step = SIZE,
                                      .b_step = -SIZE,
                                      .count = ROWS / 2,
                                      .size = SIZE,
                                      .batch = BATCH,
                                      .batch_step = STEP};

    source_of_all(source, BYTES);
    for (size_t i = 0; i < BYTES; i++)
        before[i] = data[i];
    for (size_t plane = 0; plane < BATCH; plane++) {
        for (size_t row = 0; row < ROWS / 2; row++) {
            size_t at = GUARD + plane * STEP;

            source_swap(source, at + row * SIZE, at + (ROWS - 1 - row) * SIZE,
                        SIZE);
        }
    }

    KERNEL_TABLE.swap_rows(data + GUARD, &rows);
    size_t at = any_below(BYTES);

    CHECK(data[at] == before[source[at]]);
    REACHED();
}
