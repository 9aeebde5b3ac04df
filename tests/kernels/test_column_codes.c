/* What the loops for columns are made of, in each instruction set. */
#include <check.h>
#include <string.h>

#include "kernels/move_rows.h"
#include "kernels/move_stream.h"
#include "tests/kernels/naive.h"
#include "tests/suite.h"

enum { ROOM = 32 << 10 };

static uint64_t state = 17;

static const struct move_code *code_at(int index)
{
    return index ? move_code_best() : &move_code_plain;
}

static _Alignas(64) unsigned char from[ROOM], to[ROOM], wanted[ROOM];

static void check_transpose(const struct move_code *code,
                            const struct move_transpose *t, size_t at)
{
    memcpy(wanted, to, ROOM);
    for (size_t r = 0; r < t->rows; r++)
        for (size_t c = 0; c < t->columns; c++)
            memcpy(wanted + at + c * t->to_step + r * t->size,
                   from + at + r * t->from_step + c * t->size, t->size);
    code->transpose(from + at, to + at, t);
    if (memcmp(to, wanted, ROOM) != 0)
        ck_abort_msg("%s: %zu x %zu of %zu bytes at %zu", code->name, t->rows,
                     t->columns, t->size, at);
}

START_TEST(codes_transpose_at_every_alignment)
{
    naive_fill(&state, from, ROOM);
    naive_fill(&state, to, ROOM);
    for (size_t size = 1; size <= 8; size *= 2) {
        for (size_t i = 0; i < 30 * 30; i++) {
            struct move_transpose t = {
                .size = size,
                .rows = 16 / size + i % 30,
                .columns = 16 / size + i / 30,
            };

            t.from_step = t.columns * size + i % 5;
            t.to_step = t.rows * size + i % 3;
            check_transpose(code_at(_i), &t, i % 64);
        }
    }
}
END_TEST

/* Entry t of column i of `wanted`, by the formula. */
static void reverse_column(const struct move_block *b, size_t i, size_t at)
{
    size_t len = (size_t)b->lens[i];

    for (size_t t = 0; t < b->rows; t++) {
        size_t row = t < len ? len - 1 - t : t;

        memcpy(wanted + at + t * b->step + i * b->size,
               from + at + row * b->step + i * b->size, b->size);
    }
}

static size_t next_row(const struct move_block *b)
{
    size_t last = b->rows - MOVE_BLOCK_ROWS;

    if (b->row == last)
        return b->rows;
    return b->row + MOVE_BLOCK_ROWS < last ? b->row + MOVE_BLOCK_ROWS : last;
}

static void check_blocks(const struct move_code *code, struct move_block b,
                         size_t at)
{
    static unsigned char scratch[16 * ROOM];
    int32_t lens[256];
    uint32_t moved[256];

    b.lens = lens;
    b.moved = moved;
    b.pitch = b.rows * b.size + b.columns % 5;
    memcpy(wanted, to, ROOM);
    for (size_t i = 0; i < b.columns; i++) {
        lens[i] = (int32_t)naive_below(&state, b.rows + 1);
        moved[i] =
            (uint32_t)(i * b.pitch + (b.rows - (size_t)lens[i]) * b.size);
        reverse_column(&b, i, at);
    }
    for (b.row = 0; b.row < b.rows; b.row = next_row(&b))
        code->take(from + at, scratch, &b);
    for (b.row = 0; b.row < b.rows; b.row = next_row(&b))
        code->put(scratch, from + at, to + at, &b);
    move_stream_end();
    if (memcmp(to, wanted, ROOM) != 0)
        ck_abort_msg("%s: %zu x %zu of %zu bytes at %zu", code->name, b.rows,
                     b.columns, b.size, at);
}

/* With rows that are whole lines, which may be streamed, and others. */
START_TEST(codes_put_columns_together)
{
    const struct move_code *code = move_code_best();

    naive_fill(&state, from, ROOM);
    naive_fill(&state, to, ROOM);
    for (size_t i = 0; code->take && i < 40 * 66; i++) {
        struct move_block b = {
            .size = (size_t)1 << _i, .rows = 16 + i % 40, .stream = i % 2 == 0};

        b.columns = 64 / b.size + i / 40;
        b.step = b.columns * b.size + i % 3;
        if (b.rows * b.step + 64 <= ROOM)
            check_blocks(code, b, i % 4 ? i % 64 : 0);
        b.step = (b.columns * b.size + 63) / 64 * 64;
        if (b.rows * b.step + 64 <= ROOM)
            check_blocks(code, b, 0);
    }
}
END_TEST

static void check_pairs(const struct move_code *code, size_t size, size_t at)
{
    size_t u = size + 9;
    const struct move_pair pairs[] = {
        {at, at + 2 * u}, {at + u, at + 5 * u}, {at + 4 * u, at + 3 * u}};

    memcpy(wanted, to, ROOM);
    for (size_t i = 0; i < 3; i++) {
        memcpy(wanted + pairs[i].a, to + pairs[i].b, size);
        memcpy(wanted + pairs[i].b, to + pairs[i].a, size);
    }
    code->swap_pairs(to, pairs, 3, size);
    if (memcmp(to, wanted, ROOM) != 0)
        ck_abort_msg("%s: swap of %zu bytes at %zu", code->name, size, at);
    for (size_t i = 0; i < 2; i++)
        memcpy(wanted + pairs[i].a, from + pairs[i].b, size);
    code->copy_pairs(from, to, pairs, 2, size);
    if (memcmp(to, wanted, ROOM) != 0)
        ck_abort_msg("%s: copy of %zu bytes at %zu", code->name, size, at);
}

START_TEST(codes_move_pairs_of_every_size)
{
    naive_fill(&state, from, ROOM);
    naive_fill(&state, to, ROOM);
    for (size_t size = 10; size <= 300; size++)
        for (size_t at = 0; at < 64; at++)
            check_pairs(code_at(_i), size, at);
    check_pairs(code_at(_i), 2047, 1);
    check_pairs(code_at(_i), 2048, 1);
}
END_TEST

START_TEST(stream_copies_at_every_alignment)
{
    naive_fill(&state, from, ROOM);
    naive_fill(&state, to, ROOM);
    for (size_t size = 0; size <= 300; size++) {
        for (size_t at = 0; at < 64; at++) {
            memcpy(wanted, to, ROOM);
            memcpy(wanted + at, from + size % 64, size);
            move_stream(to + at, from + size % 64, size);
            move_stream_end();
            if (memcmp(to, wanted, ROOM) != 0)
                ck_abort_msg("%zu bytes to %zu", size, at);
        }
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("column_codes");
    TCase *tc = tcase_create("column_codes");

    tcase_add_loop_test(tc, codes_transpose_at_every_alignment, 0, 2);
    tcase_add_loop_test(tc, codes_put_columns_together, 0, 4);
    tcase_add_loop_test(tc, codes_move_pairs_of_every_size, 0, 2);
    tcase_add_test(tc, stream_copies_at_every_alignment);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_run(suite);
}
