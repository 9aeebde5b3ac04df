/* bits.c up to a word: elements of BITS bits, the first ones in the high bits
 * of a byte if HIGH_FIRST. Any place, any number of them that fits, both
 * orders, all contents: copy_few() moves exactly them and keeps every bit
 * beside. */
#include "kernels/move/bits.c"
#include "tests/proofs/move/elements.h"

/* Where element `at` of the result comes from: from span b if it is in span a,
 * else from itself. */
static bool is_in(const struct spans *s, size_t at)
{
    return at >= s->a / BITS && at < (s->a + s->bits) / BITS;
}

static size_t partner(const struct spans *s, size_t at)
{
    size_t i = at - s->a / BITS;

    return s->b / BITS + (s->reverse ? s->bits / BITS - 1 - i : i);
}

/* Of a copy of span b of `from` over span a of what was `before` in `to`. */
static void check_copied(const unsigned char *from, const unsigned char *before,
                         const unsigned char *to, const struct spans *s,
                         size_t at)
{
    CHECK(element(to, at) ==
          (is_in(s, at) ? element(from, partner(s, at)) : element(before, at)));
}

enum { TOTAL = 10 };

int main(void)
{
    static const struct bits_memory m = {.format = {BITS, HIGH_FIRST}};
    unsigned char from[TOTAL], to[TOTAL], before[TOTAL];
    struct spans s = {.a = any_below(8 / BITS) * BITS,
                      .b = any_below(8 / BITS) * BITS,
                      .bits = (1 + any_below(FEW / BITS)) * BITS,
                      .reverse = nondet_bool()};
    size_t at = any_below(TOTAL * 8 / BITS);

    memcpy(before, to, TOTAL);
    copy_few(&m, from, to, s);
    check_copied(from, before, to, &s, at);
    REACHED();
}
