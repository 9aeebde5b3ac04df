/* What the shuffles of reverse.h are made of: the division without a division,
 * for all numbers, and the byte order of all rows and planes that fit into a
 * vector. */
#include "tests/proofs/harness.h"
#include "tests/proofs/table.h"

static void prove_divide(void)
{
    const size_t i = any_below(64), divisor = any_below(64) + 1;

    CHECK(divide((uint16_t)i, reciprocal(divisor)) == i / divisor);
}

/* Byte j of a vector that ends a plane at byte `plane`. */
static void prove_order(size_t row, size_t plane)
{
    const struct reverse_index index = reverse_index_of(row, plane);

    CHECK(index.size == row && index.plane == plane);
    CHECK(index.bytes == VECTOR_BYTES / plane * plane);
    for (size_t j = 0; VECTOR_SHUFFLES && j < VECTOR_BYTES; j++) {
        size_t first = j / plane * plane, in = j % plane;
        size_t from = first + plane - row - in / row * row + in % row;

        CHECK((unsigned char)(index.base[j] + plane) ==
              (j < index.bytes ? from : j));
    }
}

int main(void)
{
    prove_divide();
    for (size_t row = FIRST; row <= LAST; row++) {
        for (size_t plane = row; plane <= VECTOR_BYTES; plane += row)
            prove_order(row, plane);
        CHECK(reverse_index_of_rows(row).plane == VECTOR_BYTES / row * row);
    }
    REACHED();
}
