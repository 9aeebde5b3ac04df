/* Ragged rows of packed elements in each instruction set, against one bit at a
 * time: every length in sequences of every number of bytes. */
#include "kernels/move/bits.h"
#include "tests/kernels/naive.h"
#include "tests/kernels/simd/tables.h"
#include "tests/unit.h"

enum { PACKED = 6, COUNT = 7, GUARD = 128, ROOM = COUNT * 5000 + 2 * GUARD };

static unsigned char noise[ROOM], data[ROOM], wanted[ROOM];
static int64_t lens[COUNT];
static uint64_t state = 43;

/* Writes the expected result to `wanted`, for the elements in `noise` from byte
 * `at` on. */
static void expect(const struct element_format *f, const struct ragged_rows *s,
                   size_t at)
{
    memcpy(wanted, noise, ROOM);
    for (size_t i = 0; i < s->count; i++) {
        size_t first = at * 8 / f->bits + i * s->rows;
        size_t len = (size_t)s->lens[i];

        for (size_t k = 0; k < len; k++)
            naive_copy_element(f, noise, first + len - 1 - k, wanted,
                               first + k);
    }
}

static void check(const struct bits_memory *memory, const struct ragged_rows *s,
                  const char *mover)
{
    if (memcmp(data, wanted, ROOM) != 0)
        ck_abort_msg("%s %s: %zu of %zu x %u bit%s",
                     tables_name(memory->kernels), mover, s->count, s->rows,
                     memory->format.bits,
                     memory->format.high_first ? " high first" : "");
}

/* As ragged rows, or, where all lengths are the sequence's, as planes. */
static void move(const struct bits_memory *memory, const struct ragged_rows *s,
                 bool planes)
{
    bool in_place = memory->from == memory->to;
    const struct strided_rows rows = {.b = s->rows - 1,
                                      .a_step = 1,
                                      .b_step = -1,
                                      .count = in_place ? s->rows / 2 : s->rows,
                                      .size = 1,
                                      .batch = s->count,
                                      .batch_step = s->rows};

    if (planes)
        bits_move_rows(memory, &rows);
    else
        bits_swap_ragged_rows(memory, s);
}

/* The source has no bytes around it, so that a sanitizer sees each read beside
 * it. */
static void check_copy(struct bits_memory memory, const struct ragged_rows *s,
                       size_t at)
{
    size_t bytes = s->count * s->rows * memory.format.bits / 8;
    unsigned char *exact = malloc(bytes);

    memcpy(exact, noise + at, bytes);
    memcpy(data, noise, ROOM);
    memset(data + at, 0, bytes);
    memory.from = exact;
    move(&memory, s, true);
    check(&memory, s, "copy");
    free(exact);
}

static void check_both(int isa, const struct element_format *f, size_t bytes,
                       size_t count, bool planes)
{
    const struct ragged_rows s = {
        .size = 1, .rows = bytes * 8 / f->bits, .count = count, .lens = lens};
    size_t at = GUARD - naive_below(&state, 64);
    struct bits_memory memory = {tables_get(isa), *f, data + at, data + at};

    expect(f, &s, at);
    memcpy(data, noise, ROOM);
    move(&memory, &s, planes);
    check(&memory, &s, "swap");
    if (planes)
        check_copy(memory, &s, at);
}

/* Each length in one of the sequences, random ones in the others. */
LOOP_TEST(sequences_of_every_length_are_moved, tables_count() * PACKED)
{
    static const size_t bytes_of[] = {1, 2, 3, 63, 64, 65, 127, 128, 129, 200};
    const struct element_format *f = &naive_formats[_i % PACKED];

    naive_fill(&state, noise, ROOM);
    for (size_t i = 0; i < sizeof(bytes_of) / sizeof(*bytes_of); i++) {
        size_t rows = bytes_of[i] * 8 / f->bits;

        for (size_t len = 0; len <= rows; len++) {
            for (size_t k = 0; k < COUNT; k++)
                lens[k] = (int64_t)naive_below(&state, rows + 1);
            lens[len % COUNT] = (int64_t)len;
            check_both(_i / PACKED, f, bytes_of[i], 1 + len % COUNT, false);
            check_both(_i / PACKED, f, bytes_of[i], COUNT, false);
        }
    }
}

/* Around the bytes that are exchanged at a time. */
LOOP_TEST(long_sequences_are_moved, tables_count() * PACKED)
{
    const struct element_format *f = &naive_formats[_i % PACKED];

    naive_fill(&state, noise, ROOM);
    for (size_t i = 0; i < 60; i++) {
        size_t bytes = 4096 - 30 + i;

        for (size_t k = 0; k < COUNT; k++)
            lens[k] = (int64_t)naive_below(&state, bytes * 8 / f->bits + 1);
        check_both(_i / PACKED, f, bytes, COUNT, false);
    }
}

LOOP_TEST(whole_sequences_are_moved, tables_count() * PACKED)
{
    const struct element_format *f = &naive_formats[_i % PACKED];

    naive_fill(&state, noise, ROOM);
    for (size_t bytes = 1; bytes < 400; bytes++) {
        for (size_t k = 0; k < COUNT; k++)
            lens[k] = (int64_t)(bytes * 8 / f->bits);
        check_both(_i / PACKED, f, bytes, COUNT, true);
    }
}
