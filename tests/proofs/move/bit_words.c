/* bits.c up to a word: elements of BITS bits, the first ones in the high bits
 * of a byte if HIGH_FIRST. Any place, any number of them that fits, both
 * orders, all contents: copy_few() moves exactly them and keeps every bit
 * beside. */
#include "kernels/move/bits.c"
#include "tests/proofs/move/elements.h"

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

    for (size_t i = 0; i < TOTAL; i++)
        before[i] = to[i];
    copy_few(&m, from, to, s);
    check_copied(from, before, to, &s, at);
    REACHED();
}
