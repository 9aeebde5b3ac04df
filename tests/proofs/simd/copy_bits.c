/* kernel_table.copy_bits: WORDS words of elements of BITS bits, from any bit of
 * the first byte on, reversed or not. Without a shift no further byte is read.
 */
#include "tests/proofs/harness.h"
#include "tests/proofs/table.h"

enum { BYTES = 8 * WORDS };

/* Where in memory the bits of a byte lie, in the order of the elements. */
static unsigned bit_of(const unsigned char *bytes, size_t at)
{
    unsigned in_byte = at % 8;

    return bytes[at / 8] >> (HIGH_FIRST ? 7 - in_byte : in_byte) & 1;
}

/* A bit of element i of n: within an element the order is kept. */
static size_t mirrored(size_t at)
{
    return (8 * BYTES / BITS - 1 - at / BITS) * BITS + at % BITS;
}

static void prove(const unsigned char *from, unsigned shift)
{
    unsigned char data[BYTES];
    const struct bit_transfer transfer = {{BITS, HIGH_FIRST}, REVERSE, shift};
    const size_t bit = any_below(8 * BYTES);

    KERNEL_TABLE.copy_bits(from, data, WORDS, &transfer);
    CHECK(bit_of(data, bit) ==
          bit_of(from, shift + (REVERSE ? mirrored(bit) : bit)));
}

int main(void)
{
    unsigned char whole[BYTES], longer[BYTES + 1];

    prove(whole, 0);
    prove(longer, (unsigned)any_below(7) + 1);
    REACHED();
}
