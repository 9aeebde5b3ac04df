/* kernel_table.copy_rows: BATCH planes, SKIP bytes apart, of rows of FIRST to
 * LAST bytes, GAP bytes apart, are copied in reverse order; ROWS lists numbers
 * of rows. No byte beside the planes is read. */
#include "tests/proofs/harness.h"
#include "tests/proofs/table.h"

static const size_t numbers[] = {ROWS};
enum {
    NUMBERS = sizeof(numbers) / sizeof(*numbers),
    ROOM = 2 * GUARD + BATCH * (MOST * (LAST + GAP) + SKIP),
};

static void prove(size_t size, size_t rows)
{
    unsigned char source[ROOM], data[ROOM], before[ROOM];
    const size_t step = size + GAP, plane = rows * step - GAP;
    const size_t bytes = BATCH * (plane + SKIP) - SKIP;
    const size_t row = any_below(rows), byte = any_below(size);
    const size_t start = any_below(BATCH) * (plane + SKIP);
    unsigned char *from = source + ROOM - bytes; /* up to the end of memory */
    const struct strided_rows r = {.b = plane - size,
                                   .a_step = (ptrdiff_t)step,
                                   .b_step = -(ptrdiff_t)step,
                                   .count = rows,
                                   .size = size,
                                   .batch = BATCH,
                                   .batch_step = plane + SKIP};

    memcpy(before, data, ROOM);
    KERNEL_TABLE.copy_rows(from, data + GUARD, &r);
    CHECK(data[GUARD + start + row * step + byte] ==
          from[start + (rows - 1 - row) * step + byte]);
    if (GAP > 0 && row < rows - 1)
        CHECK_KEPT(GUARD + start + row * step + size + any_below(GAP));
    if (SKIP > 0 && start + plane < bytes)
        CHECK_KEPT(GUARD + start + plane + any_below(SKIP));
    CHECK_KEPT(any_below(GUARD));
    CHECK_KEPT(GUARD + bytes + any_below(GUARD));
}

int main(void)
{
    for (size_t size = FIRST; size <= LAST; size++)
        for (size_t i = 0; i < NUMBERS; i++)
            prove(size, numbers[i]);
    REACHED();
}
