/* Tiny planes in each instruction set: every size of a plane and of an entry,
 * at every alignment; and rows that only look like them. */
#include "tests/kernels/naive.h"
#include "tests/kernels/simd/row_case.h"
#include "tests/kernels/simd/tables.h"
#include "tests/unit.h"

/* The largest plane: two of the widest vectors. */
enum { MOST_BYTES = 128 };

static uint64_t state = 31;

static struct strided_rows rows_of(size_t at, size_t planes, size_t entries,
                                   size_t size)
{
    return (struct strided_rows){.a = at,
                                 .b = at + (entries - 1) * size,
                                 .a_step = (ptrdiff_t)size,
                                 .b_step = -(ptrdiff_t)size,
                                 .count = entries / 2,
                                 .size = size,
                                 .batch = planes,
                                 .batch_step = entries * size};
}

/* A copy starts elsewhere and moves all entries. */
static void check_both(int isa, size_t plane, size_t size)
{
    for (size_t start = 0; start < 64; start++) {
        size_t planes = (size_t)(256 + naive_below(&state, 500)) / plane + 1;
        struct strided_rows r = rows_of(start, planes, plane / size, size);

        row_case_swap(isa, &r);
        r.b += start * 7 % 64 - start;
        r.count = plane / size;
        row_case_copy(isa, &r);
    }
}

LOOP_TEST(planes_of_every_size_are_reversed, tables_count())
{
    row_case_fill();
    for (size_t plane = 2; plane <= MOST_BYTES; plane++)
        for (size_t size = 1; size <= plane / 2; size++)
            if (plane % size == 0)
                check_both(_i, plane, size);
}

/* Every number of bytes after the last whole vector. */
LOOP_TEST(any_number_of_planes_is_reversed, tables_count())
{
    row_case_fill();
    for (size_t plane = 2; plane <= MOST_BYTES; plane++) {
        for (size_t bytes = 256; bytes < 256 + 200; bytes += plane) {
            struct strided_rows r =
                rows_of(bytes % 5, (bytes + plane - 1) / plane, plane, 1);

            row_case_swap(_i, &r);
        }
    }
}

static void check_other(int isa, struct strided_rows r)
{
    row_case_swap(isa, &r);
    row_case_copy(isa, &r);
}

LOOP_TEST(other_rows_are_moved_as_they_are, tables_count())
{
    const struct strided_rows good = rows_of(0, 100, 4, 2);
    struct strided_rows r;

    row_case_fill();
    r = good;
    r.batch_step += 2; /* bytes between the planes */
    check_other(_i, r);
    r = good;
    r.b = 4; /* not in reverse order */
    r.b_step = 2;
    check_other(_i, r);
    r = good;
    r.b += 800; /* the two sides are apart */
    check_other(_i, r);
    r = good;
    r.batch = 8; /* too few */
    check_other(_i, r);
    check_other(_i, rows_of(0, 60, 129, 1)); /* too long */
}
