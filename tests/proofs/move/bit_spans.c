/* The loops of bits.c by contract: any spans of elements of BITS bits anywhere
 * in TOTAL bytes. What the function at hand calls is replaced by one that
 * checks where it reads and writes and takes along one element, the token. So
 * spans reach past every constant. PART is the function: 1 copy_bytes(), 2
 * copy_span(), 3 swap_chunk(), 4 swap_span(), 5 bits_move_rows(), 6
 * bits_swap_ragged_rows().
 * Span a starts below bit FIRST; REVERSE tells the order, and ARE_HALVES if
 * reversed spans are the halves of one. */
#include "kernels/move/bits.h"
#include "kernels/simd/bits.h"
#include "tests/proofs/harness.h"

#include <string.h>

/* Each macro leaves the definition, whose first word is const, and replaces the
 * calls, whose first argument is m or memory. */
#define copy_few(first, ...) COPY_FEW_##first, __VA_ARGS__)
#define COPY_FEW_const copy_few(const
#define COPY_FEW_m token_few(m
#define copy_bytes(first, ...) COPY_BYTES_##first, __VA_ARGS__)
#define COPY_BYTES_const copy_bytes(const
#define COPY_BYTES_m token_bytes(m
#define copy_span(first, ...) COPY_SPAN_##first, __VA_ARGS__)
#define COPY_SPAN_const copy_span(const
#define COPY_SPAN_m token_span(m
#define COPY_SPAN_memory token_span(memory
#define swap_chunk(first, ...) SWAP_CHUNK_##first, __VA_ARGS__)
#define SWAP_CHUNK_const swap_chunk(const
#define SWAP_CHUNK_m token_chunk(m
#define swap_span(first, ...) SWAP_SPAN_##first, __VA_ARGS__)
#define SWAP_SPAN_const swap_span(const
#define SWAP_SPAN_memory token_swap(memory
#define memcpy token_memcpy

struct spans;
static void token_few(const struct bits_memory *m, const unsigned char *from,
                      unsigned char *to, struct spans s);
static void token_bytes(const struct bits_memory *m, const unsigned char *from,
                        unsigned char *to, struct spans s);
static void token_span(const struct bits_memory *m, const unsigned char *from,
                       unsigned char *to, struct spans s);
static void token_chunk(const struct bits_memory *m, unsigned char *data,
                        struct spans s);
static void token_swap(const struct bits_memory *m, unsigned char *data,
                       struct spans s);
static void *token_memcpy(void *to, const void *from, size_t bytes);

#include "kernels/move/bits.c"

#undef copy_bytes
#undef copy_span
#undef swap_chunk
#undef swap_span

#define NOWHERE SIZE_MAX

static unsigned char from_bytes[TOTAL], to_bytes[TOTAL];
static size_t in_from, in_to, in_buffer; /* the token, an element */

static size_t *token_of(const unsigned char *at)
{
    return __CPROVER_same_object(at, from_bytes) ? &in_from
           : __CPROVER_same_object(at, to_bytes) ? &in_to
                                                 : &in_buffer;
}

/* The first element of the byte at `at` of its memory. */
static size_t base_of(const unsigned char *at)
{
    return __CPROVER_POINTER_OFFSET(at) * 8 / BITS;
}

static bool is_in(size_t at, size_t first, size_t count)
{
    return at != NOWHERE && at >= first && at - first < count;
}

/* All offsets are whole elements, and both spans are inside their memory. */
static void expect_spans(const unsigned char *from, const unsigned char *to,
                         struct spans s)
{
    CHECK(s.a % BITS == 0 && s.b % BITS == 0 && s.bits % BITS == 0);
    CHECK(s.a + s.bits <=
          (__CPROVER_OBJECT_SIZE(to) - __CPROVER_POINTER_OFFSET(to)) * 8);
    CHECK(s.b + s.bits <=
          (__CPROVER_OBJECT_SIZE(from) - __CPROVER_POINTER_OFFSET(from)) * 8);
}

static void token_span(const struct bits_memory *m, const unsigned char *from,
                       unsigned char *to, struct spans s)
{
    size_t a = base_of(to) + s.a / BITS, b = base_of(from) + s.b / BITS;
    size_t count = s.bits / BITS, *source = token_of(from);
    size_t *target = token_of(to);

    CHECK(m->format.bits == BITS);
    expect_spans(from, to, s);
    CHECK(!__CPROVER_same_object(from, to) || a + count <= b || b + count <= a);
    if (is_in(*source, b, count))
        *target = a + (s.reverse ? count - 1 - (*source - b) : *source - b);
    else if (is_in(*target, a, count))
        *target = NOWHERE;
}

static void token_few(const struct bits_memory *m, const unsigned char *from,
                      unsigned char *to, struct spans s)
{
    CHECK(s.bits > 0 && s.bits <= FEW);
    token_span(m, from, to, s);
}

static void token_bytes(const struct bits_memory *m, const unsigned char *from,
                        unsigned char *to, struct spans s)
{
    CHECK(s.a % 8 == 0 && s.bits % 8 == 0 && s.bits >= WORD);
    token_span(m, from, to, s);
}

static void *token_memcpy(void *to, const void *from, size_t bytes)
{
    static const struct bits_memory m = {.format = {BITS, false}};

    token_span(&m, from, to, (struct spans){.bits = 8 * bytes});
    return to;
}

static void token_kernel(const unsigned char *from, unsigned char *to,
                         size_t words, const struct bit_transfer *t)
{
    const struct bits_memory m = {.format = t->format};

    CHECK(t->shift < 8 && words > 0);
    token_span(&m, from, to,
               (struct spans){0, t->shift, words * WORD, t->reverse});
}

/* Spans a and b, or the elements of one that is reversed, change places. */
static void exchange(size_t a, size_t b, size_t count, bool reverse)
{
    if (is_in(in_to, a, count))
        in_to = b + (reverse ? count - 1 - (in_to - a) : in_to - a);
    else if (is_in(in_to, b, count))
        in_to = a + (reverse ? count - 1 - (in_to - b) : in_to - b);
}

static void token_chunk(const struct bits_memory *m, unsigned char *data,
                        struct spans s)
{
    CHECK(data == to_bytes && m->format.bits == BITS);
    expect_spans(data, data, s);
    CHECK(s.bits <= (size_t)8 * CHUNK);
    CHECK(s.a == s.b ? s.reverse : s.a + s.bits <= s.b || s.b + s.bits <= s.a);
    exchange(s.a / BITS, s.b / BITS, s.bits / BITS, s.reverse);
}

static void token_swap(const struct bits_memory *m, unsigned char *data,
                       struct spans s)
{
    CHECK(data == to_bytes && m->format.bits == BITS);
    if (s.bits == 0)
        return;
    expect_spans(data, data, s);
    CHECK(s.a + s.bits <= s.b);
    exchange(s.a / BITS, s.b / BITS, s.bits / BITS, s.reverse);
}

static struct spans any_spans(void)
{
    struct spans s = {.a = any_below(8 * TOTAL / BITS) * BITS,
                      .b = any_below(8 * TOTAL / BITS) * BITS,
                      .bits = any_below(8 * TOTAL / BITS) * BITS,
                      .reverse = REVERSE};

    ASSUME(s.a < FIRST && s.b < FIRST + 8 * TOTAL / 2);
    ASSUME(s.a + s.bits <= 8 * TOTAL && s.b + s.bits <= 8 * TOTAL);
    return s;
}

/* One of the functions that copy: any element of span b ends in span a, and any
 * element beside span a stays. */
static void check_copies(const struct bits_memory *m, struct spans s)
{
    size_t at = any_below(8 * TOTAL / BITS), a = s.a / BITS, b = s.b / BITS;
    size_t count = s.bits / BITS;
    bool copied = nondet_bool();

    ASSUME(is_in(at, copied ? b : a, count) == copied);
    in_from = copied ? at : NOWHERE;
    in_to = copied ? NOWHERE : at;
    if (PART == 1)
        copy_bytes(m, from_bytes, to_bytes, s);
    else
        copy_span(m, from_bytes, to_bytes, s);
    CHECK(in_to ==
          (copied ? a + (s.reverse ? count - 1 - (at - b) : at - b) : at));
}

static size_t exchanged(size_t at, struct spans s)
{
    in_to = at;
    exchange(s.a / BITS, s.b / BITS, s.bits / BITS, s.reverse);
    return in_to;
}

static void check_swaps(const struct bits_memory *m, struct spans s)
{
    size_t at = any_below(8 * TOTAL / BITS), target = exchanged(at, s);

    in_to = at;
    in_from = in_buffer = NOWHERE;
    if (PART == 3)
        swap_chunk(m, to_bytes, s);
    else
        swap_span(m, to_bytes, s);
    CHECK(in_to == target);
}

/* Rows of SIZE elements, STEP apart, in place or to other memory, reversed or
 * in order, in planes. */
static void check_rows(struct bits_memory *m)
{
    bool in_place = nondet_bool(), reversed = nondet_bool();
    struct strided_rows r = {.size = SIZE, .count = 3, .batch = 2};
    size_t step = STEP, at = any_below(8 * TOTAL / BITS);
    size_t target = in_place ? at : NOWHERE, plane = r.count * step;

    r.a = any_below(20);
    r.b = r.a + (in_place ? plane : 0) + (reversed ? plane - step : 0);
    r.a_step = (ptrdiff_t)step;
    r.b_step = reversed ? -r.a_step : r.a_step;
    r.batch_step = 2 * plane;
    for (size_t i = 0; i < r.batch; i++) {
        for (size_t row = 0; row < r.count; row++) {
            size_t a = i * r.batch_step + r.a + row * step;
            size_t b = i * r.batch_step + r.b + (size_t)r.b_step * row;

            if (is_in(at, b, r.size))
                target = a + (at - b);
            else if (in_place && is_in(at, a, r.size))
                target = b + (at - a);
        }
    }
    m->from = in_place ? to_bytes : from_bytes;
    in_from = in_place ? NOWHERE : at;
    in_to = in_place ? at : NOWHERE;
    bits_move_rows(m, &r);
    CHECK(in_to == target);
}

static void check_ragged(const struct bits_memory *m)
{
    const int64_t lens[3] = {any_length(LENGTH), any_length(LENGTH),
                             any_length(LENGTH)};
    const struct ragged_rows r = {
        .size = 1, .rows = LENGTH, .count = 1 + any_below(3), .lens = lens};
    size_t at = any_below(8 * TOTAL / BITS), target = at;
    size_t i = at / LENGTH, row = at % LENGTH;

    if (i < r.count && row < (size_t)lens[i])
        target = i * LENGTH + (size_t)lens[i] - 1 - row;
    in_to = at;
    bits_swap_ragged_rows(m, &r);
    CHECK(in_to == target);
}

int main(void)
{
    static const struct kernel_table table = {.copy_bits = token_kernel};
    struct bits_memory m = {.kernels = &table,
                            .format = {BITS, nondet_bool()},
                            .from = to_bytes,
                            .to = to_bytes};
    struct spans s = any_spans();

    if (PART <= 2) {
        ASSUME(PART == 2 ||
               (s.a % 8 == 0 && s.bits % 8 == 0 && s.bits >= WORD));
        check_copies(&m, s);
    } else if (PART == 3) {
        ASSUME(s.bits <= (size_t)8 * CHUNK);
        ASSUME(s.a == s.b ? s.reverse
                          : s.a + s.bits <= s.b || s.b + s.bits <= s.a);
        check_swaps(&m, s);
    } else if (PART == 4) { /* shorter ones: bit_words.c */
        ASSUME(s.a + s.bits <= s.b && (s.bits == 0 || s.bits > FEW));
        ASSUME(!REVERSE || (s.b - (s.a + s.bits) <= BITS) == ARE_HALVES);
        check_swaps(&m, s);
    } else if (PART == 5) {
        check_rows(&m);
    } else {
        check_ragged(&m);
    }
    REACHED();
}
