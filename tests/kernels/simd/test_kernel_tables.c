/* The row kernels of each instruction set against one byte at a time, at all 64
 * alignments, around every vector width; no byte beside the rows may change. */
#include "kernels/simd/kernel_table.h"
#include "tests/kernels/naive.h"
#include "tests/kernels/simd/tables.h"
#include "tests/unit.h"

enum { BYTES = 8192 };

/* The former content of the target, and the source of a copy: the same in each
 * run. Then the target of the last move, and its expected content. */
static unsigned char noise[BYTES], from[BYTES], data[BYTES], wanted[BYTES];

/* Called first by each test. */
static void fill(void)
{
    uint64_t state = 99;

    naive_fill(&state, noise, BYTES);
    naive_fill(&state, from, BYTES);
}

/* The offset of byte `i` of row `row`, if row 0 is at `first`. */
static size_t offset_of(size_t first, ptrdiff_t step, size_t row, size_t i)
{
    return (size_t)((ptrdiff_t)first + (ptrdiff_t)row * step) + i;
}

static void expect_plane(const struct strided_rows *r, size_t plane, bool swap)
{
    size_t first_a = r->a + plane * r->batch_step;
    size_t first_b = r->b + plane * r->batch_step;

    for (size_t row = 0; row < r->count; row++) {
        for (size_t i = 0; i < r->size; i++) {
            size_t a = offset_of(first_a, r->a_step, row, i);
            size_t b = offset_of(first_b, r->b_step, row, i);

            wanted[a] = swap ? data[b] : from[b];
            if (swap)
                wanted[b] = data[a];
        }
    }
}

static void expect(const struct strided_rows *r, bool swap)
{
    memcpy(data, noise, BYTES);
    memcpy(wanted, noise, BYTES);
    for (size_t plane = 0; plane < r->batch; plane++)
        expect_plane(r, plane, swap);
}

static void check(int isa, const char *mover, const struct strided_rows *r)
{
    if (memcmp(data, wanted, BYTES) != 0)
        ck_abort_msg("%s %s: a %zu %+td, b %zu %+td, %zu x %zu, %zu planes",
                     tables_name(tables_get(isa)), mover, r->a, r->a_step, r->b,
                     r->b_step, r->count, r->size, r->batch);
}

/* `count` rows from `a` on that go up, and from `b` on that go down. */
static struct strided_rows mirrored(size_t a, size_t b, size_t size,
                                    size_t count, size_t batch,
                                    size_t batch_step)
{
    return (struct strided_rows){.a = a,
                                 .b = b,
                                 .a_step = (ptrdiff_t)size,
                                 .b_step = -(ptrdiff_t)size,
                                 .count = count,
                                 .size = size,
                                 .batch = batch,
                                 .batch_step = batch_step};
}

static void swap(int isa, const struct strided_rows *rows)
{
    expect(rows, true);
    tables_get(isa)->swap_rows(data, rows);
    check(isa, "swap", rows);
}

static void copy(int isa, const struct strided_rows *rows)
{
    expect(rows, false);
    tables_get(isa)->copy_rows(from, data, rows);
    check(isa, "copy", rows);
}

/* Sizes with a vector form, and those around vector widths. */
static size_t next_size(size_t size)
{
    return size < 9 || size % 16 == 15 || size % 16 == 0 ? size + 1 : size + 2;
}

/* Entries of one span are swapped from both ends. */
LOOP_TEST(swap_reverses_spans_of_every_length, tables_count())
{
    fill();
    for (size_t size = 1; size <= 67; size = next_size(size))
        for (size_t entries = 2; entries * size <= 300; entries++)
            for (size_t start = 0; start < 64; start++) {
                struct strided_rows r = mirrored(
                    start, start + (entries - 1) * size, size, entries / 2,
                    1 + start % 2 * (entries % 5), entries * size + start % 3);

                swap(_i, &r);
            }
}

/* The two sides are apart, or in the other order. */
LOOP_TEST(swap_reverses_between_regions, tables_count())
{
    fill();
    for (size_t size = 1; size <= 67; size = next_size(size))
        for (size_t count = 1; count * size <= 150; count++)
            for (size_t start = 0; start < 64; start++) {
                size_t a = start % 2 ? 500 + start : start;
                size_t b = start % 2 ? start / 2 : 300 + start / 2;
                struct strided_rows r =
                    mirrored(a, b + (count - 1) * size, size, count,
                             1 + start % 3, 1000);

                swap(_i, &r);
            }
}

LOOP_TEST(copy_reverses_spans_of_every_length, tables_count())
{
    fill();
    for (size_t size = 1; size <= 67; size = next_size(size))
        for (size_t count = 1; count * size <= 300; count++)
            for (size_t start = 0; start < 64; start++) {
                struct strided_rows r = mirrored(
                    start, start * 7 % 64 + (count - 1) * size, size, count,
                    1 + start % 2 * (count % 5), count * size + start % 3);

                copy(_i, &r);
            }
}

/* Rows of every size, mirrored and side by side, near and far. */
LOOP_TEST(kernels_move_rows_of_every_size, tables_count())
{
    fill();
    for (size_t size = 1; size <= 420; size++) {
        for (size_t start = 0; start < 64; start++) {
            ptrdiff_t step = (ptrdiff_t)(size + start % 3);
            struct strided_rows r = {
                .a = start,
                .b = 2000 + start / 2 + (start % 2 ? (size_t)step : 0),
                .a_step = step,
                .b_step = start % 2 ? -step : step,
                .count = 1 + start % 2,
                .size = size,
                .batch = 1 + (start & 2) / 2,
                .batch_step = 2 * (size_t)step + start,
            };

            swap(_i, &r);
            copy(_i, &r);
        }
    }
}

/* Around the size from which on memcpy() copies rows. */
LOOP_TEST(kernels_move_long_rows, tables_count())
{
    fill();
    for (size_t size = 1900; size < 2060; size++) {
        struct strided_rows r = {
            .b = BYTES - size, .count = 1, .size = size, .batch = 1};

        copy(_i, &r);
        swap(_i, &r);
    }
}

/* Ragged rows, against one row at a time. */
static uint64_t state = 99;

/* Writes the expected sequences to `at`. */
static void expect_sequences(const struct ragged_rows *s, size_t at)
{
    for (size_t i = 0; i < s->count; i++) {
        for (size_t row = 0; row < s->rows; row++) {
            size_t len = (size_t)s->lens[i];
            size_t source = row < len ? len - 1 - row : row;

            memcpy(wanted + at + row * s->size, from + at + source * s->size,
                   s->size);
        }
        at += s->rows * s->size;
    }
}

static void check_sequences(const struct kernel_table *kernels,
                            const struct ragged_rows *s, size_t at)
{
    memcpy(wanted, noise, BYTES);
    expect_sequences(s, at);
    memcpy(data, noise, BYTES);
    memcpy(data + at, from + at, s->count * s->rows * s->size);
    kernels->swap_ragged_rows(data + at, s);
    if (memcmp(data, wanted, BYTES) != 0)
        ck_abort_msg("%s: %zu sequences of %zu x %zu bytes at %zu",
                     tables_name(kernels), s->count, s->rows, s->size, at);
}

/* Batches of 1 to 4 sequences, mostly of up to some 200 bytes, now and then
 * so long that their end costs little. */
LOOP_TEST(kernels_reverse_ragged_rows_of_every_size, tables_count())
{
    int64_t lens[4];

    fill();
    for (size_t size = 1; size <= 2100; size += size < 280 ? 1 : 590) {
        size_t most = size > 200 ? 3 : 200 / size + 2;

        for (size_t rows = 1; rows <= most; rows++) {
            struct ragged_rows s = {
                .size = size,
                .rows = rows == most && size % 4 == 0 ? 4200 / size + 1 : rows,
                .count = 1,
                .lens = lens,
            };
            size_t fits = (BYTES - 128) / (s.rows * size);

            s.count = 1 + (size + rows) % (fits < 4 ? fits : 4);
            for (size_t i = 0; i < s.count; i++)
                lens[i] = (int64_t)(naive_random(&state) % (s.rows + 1));
            check_sequences(tables_get(_i), &s, 64 + rows % 64);
        }
    }
}

/* Tiny planes: every size of a plane and of an entry, at every alignment; and
 * rows that only look like them. */
/* The largest plane: two of the widest vectors. */
enum { MOST_BYTES = 128 };

static uint64_t planes_state = 31;

static struct strided_rows rows_of(size_t at, size_t planes, size_t entries,
                                   size_t size)
{
    return mirrored(at, at + (entries - 1) * size, size, entries / 2, planes,
                    entries * size);
}

/* A copy starts elsewhere and moves all entries. */
static void check_both(int isa, size_t plane, size_t size)
{
    for (size_t start = 0; start < 64; start++) {
        size_t planes =
            (size_t)(256 + naive_below(&planes_state, 500)) / plane + 1;
        struct strided_rows r = rows_of(start, planes, plane / size, size);

        swap(isa, &r);
        r.b += start * 7 % 64 - start;
        r.count = plane / size;
        copy(isa, &r);
    }
}

LOOP_TEST(planes_of_every_size_are_reversed, tables_count())
{
    fill();
    for (size_t plane = 2; plane <= MOST_BYTES; plane++)
        for (size_t size = 1; size <= plane / 2; size++)
            if (plane % size == 0)
                check_both(_i, plane, size);
}

/* Every number of bytes after the last whole vector. */
LOOP_TEST(any_number_of_planes_is_reversed, tables_count())
{
    fill();
    for (size_t plane = 2; plane <= MOST_BYTES; plane++) {
        for (size_t bytes = 256; bytes < 256 + 200; bytes += plane) {
            struct strided_rows r =
                rows_of(bytes % 5, (bytes + plane - 1) / plane, plane, 1);

            swap(_i, &r);
        }
    }
}

static void check_other(int isa, struct strided_rows r)
{
    swap(isa, &r);
    copy(isa, &r);
}

LOOP_TEST(other_rows_are_moved_as_they_are, tables_count())
{
    const struct strided_rows good = rows_of(0, 100, 4, 2);
    struct strided_rows r;

    fill();
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

/* From the best to plain C, no two the same. */
UNIT_TEST(tables_end_with_the_generic_one)
{
    int tables = tables_count();

    unsetenv("FLIPD_SIMD");
    ck_assert_ptr_eq(kernel_table_active(), tables_get(0));
    ck_assert_int_gt(tables, 0);
    ck_assert_ptr_eq(tables_get(tables - 1), &kernel_table_generic);
    for (int i = 1; i < tables; i++)
        ck_assert_ptr_ne(tables_get(i), tables_get(i - 1));
}

UNIT_TEST(flipd_simd_holds_the_choice_down)
{
    setenv("FLIPD_SIMD", "generic", 1);
    ck_assert_ptr_eq(kernel_table_active(), &kernel_table_generic);
}
