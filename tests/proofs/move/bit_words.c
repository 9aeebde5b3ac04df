/* bits.c up to a word: elements of BITS bits, the first ones in the high bits
 * of a byte if HIGH_FIRST. Any place, any number of them that fits, both
 * orders, all contents: copy_few() reads and moves exactly them and keeps every
 * bit beside. */
#include "kernels/move/bits.h"
#include "kernels/simd/bits.h"
#include "tests/proofs/move/elements.h"

/* The macro leaves the definition, whose first word is const, and replaces the
 * calls, whose first argument is m. */
#define load_bytes(first, ...) LOAD_BYTES_##first, __VA_ARGS__)
#define LOAD_BYTES_const load_bytes(const
#define LOAD_BYTES_m load_expected(m
static uint64_t load_expected(const struct bits_memory *m,
                              const unsigned char *data, size_t bytes);
#include "kernels/move/bits.c"
#undef load_bytes

enum { TOTAL = 10 };

static unsigned char from[TOTAL], to[TOTAL];
static struct spans s;

/* Of span b in from[] or a in to[], and no byte beside it. */
static uint64_t load_expected(const struct bits_memory *m,
                              const unsigned char *data, size_t bytes)
{
    bool is_from = __CPROVER_same_object(data, from);
    size_t first = (size_t)(data - (is_from ? from : to));
    size_t at = is_from ? s.b : s.a;

    CHECK(first >= at / 8 && first + bytes <= (at + s.bits + 7) / 8);
    return load_bytes(m, data, bytes);
}

/* Where element `at` of the result comes from: from span b if it is in span a,
 * else from itself. */
static bool is_in(size_t at)
{
    return at >= s.a / BITS && at < (s.a + s.bits) / BITS;
}

static size_t partner(size_t at)
{
    size_t i = at - s.a / BITS;

    return s.b / BITS + (s.reverse ? s.bits / BITS - 1 - i : i);
}

int main(void)
{
    static const struct bits_memory m = {.format = {BITS, HIGH_FIRST}};
    unsigned char before[TOTAL], any[TOTAL];
    size_t at = any_below(TOTAL * 8 / BITS);

    memcpy(from, any, TOTAL);
    memcpy(to, before, TOTAL);
    s = (struct spans){.a = any_below(8 / BITS) * BITS,
                       .b = any_below(8 / BITS) * BITS,
                       .bits = (1 + any_below(FEW / BITS)) * BITS,
                       .reverse = nondet_bool()};
    copy_few(&m, from, to, s);
    CHECK(element(to, at) ==
          (is_in(at) ? element(from, partner(at)) : element(before, at)));
    REACHED();
}
