#include "kernels/simd/generic/generic.h"
#include "kernels/simd/small_copy.h"

/* Exchanges neighbouring groups of `bits` bits in a word. */
static uint64_t swap_neighbours(uint64_t x, unsigned bits, uint64_t low)
{
    return (x >> bits & low) | (x & low) << bits;
}

/* Words of planes and entries whose sizes are powers of two. */
static void shuffle_words(const unsigned char *from, unsigned char *to,
                          size_t words, const struct shuffle *s)
{
    const size_t size = s->size, plane = s->plane;

    for (size_t i = 0; i < words; i++) {
        uint64_t x = small_load(from + i * 8, 8);

        if (size == 1)
            x = swap_neighbours(x, 8, 0x00FF00FF00FF00FF);
        if (size <= 2 && plane >= 4)
            x = swap_neighbours(x, 16, 0x0000FFFF0000FFFF);
        if (plane == 8)
            x = x >> 32 | x << 32;
        small_store(to + i * 8, x, 8);
    }
}

void generic_shuffle(const unsigned char *from, unsigned char *to, size_t bytes,
                     const struct shuffle *s)
{
    size_t done = 0;

    if (8 % s->plane == 0) {
        done = bytes / 8 * 8;
        shuffle_words(from, to, bytes / 8, s);
    }
    for (; done < bytes; done += s->step)
        shuffle_rest(from + done, to + done,
                     bytes - done < s->step ? bytes - done : s->step, s);
}
