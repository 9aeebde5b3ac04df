/* Tiny planes in each instruction set, against one byte at a time: every size
 * of a plane and of an entry, at every alignment. */
#include <check.h>
#include <string.h>

#include "kernels/move/dispatch.h"
#include "kernels/move/tiny_planes.h"
#include "tests/kernels/naive.h"
#include "tests/suite.h"

enum { ROOM = 2048 };

static unsigned char noise[ROOM], data[ROOM], wanted[ROOM], from[ROOM];
static uint64_t state = 31;

static int count_tables(void)
{
    int tables = 0;

    while (dispatch_isa(tables))
        tables++;
    return tables;
}

static void fill(void)
{
    naive_fill(&state, noise, ROOM);
    naive_fill(&state, from, ROOM);
    memcpy(data, noise, ROOM);
    memcpy(wanted, noise, ROOM);
}

/* Planes of `entries` entries at `in`, reversed, at `out`. */
static void expect(const unsigned char *in, unsigned char *out, size_t planes,
                   size_t entries, size_t size)
{
    for (size_t plane = 0; plane < planes; plane++)
        for (size_t i = 0; i < entries; i++)
            memcpy(out + (plane * entries + i) * size,
                   in + (plane * entries + entries - 1 - i) * size, size);
}

static void check(const struct kernel_table *kernels, const char *mover,
                  const struct strided_rows *r)
{
    if (memcmp(data, wanted, ROOM) != 0)
        ck_abort_msg("%s %s: %zu planes of %zu bytes, entries of %zu, at %zu",
                     kernels->name, mover, r->batch, r->batch_step, r->size,
                     r->a);
}

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

static void check_swap(const struct kernel_table *kernels, size_t at,
                       size_t planes, size_t entries, size_t size)
{
    struct strided_rows r = rows_of(at, planes, entries, size);

    fill();
    expect(noise + at, wanted + at, planes, entries, size);
    ck_assert(move_tiny_planes_swap(kernels, data, &r));
    check(kernels, "swap", &r);
}

static void check_copy(const struct kernel_table *kernels, size_t at,
                       size_t planes, size_t entries, size_t size)
{
    struct strided_rows r = rows_of(at, planes, entries, size);
    size_t start = at * 7 % 64;

    r.b += start - at;
    r.count = entries;
    fill();
    expect(from + start, wanted + at, planes, entries, size);
    ck_assert(move_tiny_planes_copy(kernels, from, data, &r));
    check(kernels, "copy", &r);
}

static void check_both(const struct kernel_table *kernels, size_t plane,
                       size_t size)
{
    for (size_t start = 0; start < 64; start++) {
        size_t planes = (size_t)(256 + naive_below(&state, 500)) / plane + 1;

        check_swap(kernels, start, planes, plane / size, size);
        check_copy(kernels, start, planes, plane / size, size);
    }
}

START_TEST(planes_of_every_size_are_reversed)
{
    const struct kernel_table *kernels = dispatch_isa(_i);

    for (size_t plane = 2; plane <= kernels->shuffle.width; plane++)
        for (size_t size = 1; size <= plane / 2; size++)
            if (plane % size == 0)
                check_both(kernels, plane, size);
}
END_TEST

/* Every number of bytes after the last whole vector. */
START_TEST(any_number_of_planes_is_reversed)
{
    const struct kernel_table *kernels = dispatch_isa(_i);

    for (size_t plane = 2; plane <= kernels->shuffle.width; plane++)
        for (size_t bytes = 256; bytes < 256 + 200; bytes += plane)
            check_swap(kernels, bytes % 5, (bytes + plane - 1) / plane, plane,
                       1);
}
END_TEST

static void refuse(const struct strided_rows *r)
{
    const struct kernel_table *kernels = dispatch_kernels();

    fill();
    ck_assert(!move_tiny_planes_swap(kernels, data, r));
    ck_assert(!move_tiny_planes_copy(kernels, from, data, r));
    check(kernels, "refused", r);
}

START_TEST(other_rows_are_refused)
{
    struct strided_rows good = rows_of(0, 100, 4, 2), r;

    r = good;
    r.batch_step += 2; /* bytes between the planes */
    refuse(&r);
    r = good;
    r.b_step = 2; /* not in reverse order */
    refuse(&r);
    r = good;
    r.b += 800; /* the two sides are apart */
    ck_assert(!move_tiny_planes_swap(dispatch_kernels(), data, &r));
    r = good;
    r.batch = 8; /* too few */
    refuse(&r);
    r = rows_of(0, 100, 65, 1); /* too long */
    refuse(&r);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("tiny_planes");
    TCase *tc = tcase_create("tiny_planes");

    int tables = count_tables();

    tcase_add_loop_test(tc, planes_of_every_size_are_reversed, 0, tables);
    tcase_add_loop_test(tc, any_number_of_planes_is_reversed, 0, tables);
    tcase_add_test(tc, other_rows_are_refused);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_run(suite);
}
