/* Copies through the write-combining wc in each instruction set, against
 * one byte at a time: rows of every kind, to every offset in a cache line, one
 * call after the other; no byte beside them may change. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/move/dispatch.h"
#include "kernels/move/wc_buffer.h"
#include "kernels/simd/nontemporal.h"
#include "tests/kernels/naive.h"
#include "tests/suite.h"

enum { ROOM = 1 << 18, CALLS = 3 };

static unsigned char noise[ROOM], from[ROOM];
static unsigned char memory[ROOM + 64], wanted[ROOM];
static uint64_t state = 17;

/* How the rows of a call lie. */
struct form {
    size_t size, count, planes;
    bool forward;
};

static void expect(const struct strided_rows *r)
{
    for (size_t plane = 0; plane < r->batch; plane++)
        for (size_t i = 0; i < r->count; i++)
            memcpy(wanted + r->a + plane * r->batch_step + i * r->size,
                   from + r->b + plane * r->batch_step + i * (size_t)r->b_step,
                   r->size);
}

static struct strided_rows rows_of(const struct form *form, size_t at)
{
    size_t bytes = form->size * form->count;
    ptrdiff_t step = (ptrdiff_t)form->size;

    return (struct strided_rows){
        .a = at,
        .b = at + (form->forward ? 0 : bytes - form->size),
        .a_step = step,
        .b_step = form->forward ? step : -step,
        .count = form->count,
        .size = form->size,
        .batch = form->planes,
        .batch_step = bytes,
    };
}

/* CALLS spans, the last of them apart from the others. */
static void check_form(const struct kernel_table *kernels,
                       const struct form *form, size_t at)
{
    size_t bytes = form->size * form->count * form->planes;
    unsigned char *to = memory + -(uintptr_t)memory % 64;
    struct wc_buffer wc;
    struct strided_rows rows;

    memcpy(to, noise, ROOM);
    memcpy(wanted, noise, ROOM);
    move_wc_buffer_init(&wc, kernels, ROOM);
    for (size_t i = 0; i < CALLS; i++) {
        rows = rows_of(form, at + i * bytes + (i + 1 == CALLS ? 77 : 0));
        expect(&rows);
        move_wc_buffer_copy(&wc, from, to, &rows);
    }
    move_wc_buffer_flush(&wc);
    nontemporal_fence();
    if (memcmp(to, wanted, ROOM) != 0)
        ck_abort_msg("%s: %zu planes of %zu x %zu bytes at %zu, %s",
                     kernels->name, form->planes, form->count, form->size, at,
                     form->forward ? "forward" : "backward");
}

/* Rows of less than a cache line, of several, of about the wc's size and
 * longer ones; in spans below and above the limit for prefetching
 * everything. */
static const struct form forms[] = {
    {1, 1, 1, false},     {1, 3000, 1, false},  {4, 700, 2, false},
    {4, 700, 2, true},    {3, 5, 400, false},   {64, 40, 1, false},
    {1, 7, 3, false},     {100, 61, 1, false},  {1000, 9, 1, false},
    {1024, 9, 1, false},  {1024, 7, 2, false},  {1984, 5, 1, true},
    {2047, 4, 1, false},  {2048, 4, 1, false},  {2049, 4, 2, false},
    {4096, 3, 1, true},   {5000, 4, 1, false},  {9000, 3, 1, false},
    {1024, 70, 1, false}, {700, 100, 1, false}, {16, 4300, 1, false},
    {16, 4300, 1, true},  {40000, 2, 1, false},
};

static int count_tables(void)
{
    int tables = 0;

    while (dispatch_isa(tables))
        tables++;
    return tables;
}

START_TEST(buffer_copies_rows_of_every_kind)
{
    naive_fill(&state, noise, ROOM);
    naive_fill(&state, from, ROOM);
    for (int isa = 0; isa < count_tables(); isa++)
        for (size_t at = 0; at < 64; at++)
            check_form(dispatch_isa(isa), &forms[_i], at);
}
END_TEST

/* From anywhere to the start of a line. */
START_TEST(kernels_copy_whole_lines_past_the_caches)
{
    const struct kernel_table *kernels = dispatch_isa(_i);
    unsigned char *to = memory + -(uintptr_t)memory % 64;

    naive_fill(&state, noise, ROOM);
    naive_fill(&state, from, ROOM);
    for (size_t bytes = 0; bytes <= 1024; bytes += 64) {
        for (size_t at = 0; at < 64; at++) {
            memcpy(to, noise, ROOM);
            kernels->rows.copy_nontemporal(to + 64, from + at, bytes,
                                           from + ROOM / 2);
            nontemporal_fence();
            ck_assert_mem_eq(to, noise, 64);
            ck_assert_mem_eq(to + 64, from + at, bytes);
            ck_assert_mem_eq(to + 64 + bytes, noise + 64 + bytes, 2048);
        }
    }
}
END_TEST

/* Less than a cache line, from two calls and apart. */
START_TEST(buffer_writes_lines_in_parts)
{
    const struct form form = {1, 1, 1, false};

    naive_fill(&state, noise, ROOM);
    naive_fill(&state, from, ROOM);
    for (size_t at = 0; at < 256; at++)
        check_form(dispatch_kernels(), &form, at);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("wc_buffer");
    TCase *tc = tcase_create("wc_buffer");

    tcase_add_loop_test(tc, buffer_copies_rows_of_every_kind, 0,
                        (int)(sizeof(forms) / sizeof(*forms)));
    tcase_add_loop_test(tc, kernels_copy_whole_lines_past_the_caches, 0,
                        count_tables());
    tcase_add_test(tc, buffer_writes_lines_in_parts);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_run(suite);
}
