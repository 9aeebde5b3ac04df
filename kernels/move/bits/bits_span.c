#include "kernels/move/bits/bits_span.h"

#include <stdint.h>
#include <string.h>

#include "kernels/simd/bits.h"

enum {
    WORD = 64, /* bits that the kernel moves at a time */
    /* Bits that fit into a word wherever they start in their first byte. */
    FEW = 56,
    /* Bytes that are exchanged at a time, so few that the first level cache
     * keeps them until they are loaded again. */
    CHUNK = 4096,
};

/* Converts a word to or from one with its first element in the lowest bits. */
static uint64_t low_first(const struct bit_mover *m, uint64_t word)
{
    return m->format.high_first ? reverse_elements(word, m->format.bits) : word;
}

/* Bytes that hold some of `bits` bits from bit `at` of the first byte on. */
static size_t bytes_of(size_t at, size_t bits)
{
    return (at % 8 + bits + 7) / 8;
}

/* Loads up to 8 bytes, the first element in the lowest bits. */
static uint64_t load_bytes(const struct bit_mover *m, const unsigned char *data,
                           size_t bytes)
{
    uint64_t word = 0;

    while (bytes-- > 0)
        word = word << 8 | data[bytes];
    return low_first(m, word);
}

/* Loads 1 to FEW bits from bit `at` on. */
static uint64_t load_few(const struct bit_mover *m, const unsigned char *data,
                         size_t at, size_t bits)
{
    uint64_t word = load_bytes(m, data + at / 8, bytes_of(at, bits)) >> at % 8;

    return word & (((uint64_t)1 << bits) - 1);
}

static uint64_t reverse_few(const struct bit_mover *m, uint64_t word,
                            size_t bits)
{
    word = __builtin_bswap64(reverse_elements(word, m->format.bits));
    return word >> (WORD - bits);
}

/* Stores the lowest 1 to FEW bits of a word, of whose elements the mover
 * changes the order, from bit `at` on. */
static void store_few(const struct bit_mover *m, unsigned char *data, size_t at,
                      size_t bits, uint64_t word)
{
    uint64_t mask = (((uint64_t)1 << bits) - 1) << at % 8;
    size_t bytes = bytes_of(at, bits);

    data += at / 8;
    if (m->reverse)
        word = reverse_few(m, word, bits);
    word = low_first(m, (load_bytes(m, data, bytes) & ~mask) | word << at % 8);
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)(word >> 8 * i);
}

static void copy_few(const struct bit_mover *m, const unsigned char *from,
                     unsigned char *to, struct bit_spans s)
{
    store_few(m, to, s.a, s.bits, load_few(m, from, s.b, s.bits));
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Bits done .. done + bits - 1 of span a, and those of b that belong to them.
 */
static struct bit_spans part_of(const struct bit_mover *m, struct bit_spans s,
                                size_t done, size_t bits)
{
    size_t before = m->reverse ? s.bits - done - bits : done;

    return (struct bit_spans){s.a + done, s.b + before, bits};
}

/* Whole bytes, at least a word of them; span a starts with a byte. The last
 * word ends with the last byte, so it may overlap the one before. */
static void copy_bytes(const struct bit_mover *m, const unsigned char *from,
                       unsigned char *to, struct bit_spans s)
{
    size_t words = s.bits / WORD * WORD;
    const size_t starts[] = {0, s.bits - WORD}, bits[] = {words, WORD};

    if (!m->reverse && s.b % 8 == 0) {
        memcpy(to + s.a / 8, from + s.b / 8, s.bits / 8);
        return;
    }
    for (size_t i = 0; i < (words < s.bits ? 2 : 1); i++) {
        struct bit_spans part = part_of(m, s, starts[i], bits[i]);
        const struct bit_transfer t = {m->format, m->reverse, part.b % 8};

        m->kernels->copy_bits(from + part.b / 8, to + part.a / 8,
                              part.bits / WORD, &t);
    }
}

void bits_span_copy(const struct bit_mover *m, const unsigned char *from,
                    unsigned char *to, struct bit_spans s)
{
    size_t head = s.bits > FEW ? (0 - s.a) % 8 : 0;
    size_t bytes = (s.bits - head) / 8 * 8, bits;

    if (bytes < WORD)
        bytes = 0;
    if (head > 0)
        copy_few(m, from, to, part_of(m, s, 0, head));
    if (bytes > 0)
        copy_bytes(m, from, to, part_of(m, s, head, bytes));
    for (size_t done = head + bytes; done < s.bits; done += bits) {
        bits = least(FEW, s.bits - done);
        copy_few(m, from, to, part_of(m, s, done, bits));
    }
}

static void swap_few(const struct bit_mover *m, unsigned char *data,
                     struct bit_spans s)
{
    uint64_t a = load_few(m, data, s.a, s.bits);
    uint64_t b = load_few(m, data, s.b, s.bits);

    store_few(m, data, s.a, s.bits, b);
    store_few(m, data, s.b, s.bits, a);
}

/* Exchanges at most CHUNK bytes through a buffer in which the elements start at
 * the same bit of a byte as in a. */
static void swap_chunk(const struct bit_mover *m, unsigned char *data,
                       struct bit_spans s)
{
    const struct bit_mover straight = {m->kernels, m->format, false};
    unsigned char buffer[CHUNK + 1];
    size_t start = s.a % 8;

    bits_span_copy(m, data, buffer, (struct bit_spans){start, s.b, s.bits});
    bits_span_copy(m, data, data, (struct bit_spans){s.b, s.a, s.bits});
    bits_span_copy(&straight, buffer, data,
                   (struct bit_spans){s.a, start, s.bits});
}

void bits_span_swap(const struct bit_mover *m, unsigned char *data,
                    struct bit_spans s)
{
    size_t bits;

    if (s.bits > 0 && s.bits <= FEW) {
        swap_few(m, data, s);
        return;
    }
    for (size_t done = 0; done < s.bits; done += bits) {
        bits = least((size_t)8 * CHUNK, s.bits - done);
        swap_chunk(m, data, part_of(m, s, done, bits));
    }
}
