#include "kernels/move/bits.h"

#include <stdint.h>
#include <string.h>

#include "kernels/core/size.h"
#include "kernels/simd/bits.h"

enum {
    WORD = 64, /* bits that the kernel moves at a time */
    /* Bits that fit into a word wherever they start in their first byte. */
    FEW = 56,
    /* Bytes that are exchanged at a time, so few that the first level cache
     * keeps them until they are loaded again. */
    CHUNK = 4096,
};

/* Two spans of whole elements, in bits from the start of their memory. */
struct spans {
    size_t a, b;  /* where they start */
    size_t bits;  /* of each of them */
    bool reverse; /* the elements change their order */
};

/* Converts a word to or from one with its first element in the lowest bits. */
static uint64_t low_first(const struct bits_memory *m, uint64_t word)
{
    return m->format.high_first ? reverse_elements(word, m->format.bits) : word;
}

/* Bytes that hold some of `bits` bits from bit `at` of the first byte on. */
static size_t bytes_of(size_t at, size_t bits)
{
    return (at % 8 + bits + 7) / 8;
}

/* Loads up to 8 bytes, the first element in the lowest bits. */
static uint64_t load_bytes(const struct bits_memory *m,
                           const unsigned char *data, size_t bytes)
{
    uint64_t word = 0;

    while (bytes-- > 0)
        word = word << 8 | data[bytes];
    return low_first(m, word);
}

/* Loads 1 to FEW bits from bit `at` on. */
static uint64_t load_few(const struct bits_memory *m, const unsigned char *data,
                         size_t at, size_t bits, bool reverse)
{
    uint64_t word = load_bytes(m, data + at / 8, bytes_of(at, bits)) >> at % 8;

    word <<= WORD - bits;
    if (reverse)
        return __builtin_bswap64(reverse_elements(word, m->format.bits));
    return word >> (WORD - bits);
}

/* Stores the lowest 1 to FEW bits of a word from bit `at` on. */
static void store_few(const struct bits_memory *m, unsigned char *data,
                      size_t at, size_t bits, uint64_t word)
{
    uint64_t mask = (((uint64_t)1 << bits) - 1) << at % 8;
    size_t bytes = bytes_of(at, bits);

    data += at / 8;
    word = low_first(m, (load_bytes(m, data, bytes) & ~mask) | word << at % 8);
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)(word >> 8 * i);
}

static void copy_few(const struct bits_memory *m, const unsigned char *from,
                     unsigned char *to, struct spans s)
{
    store_few(m, to, s.a, s.bits, load_few(m, from, s.b, s.bits, s.reverse));
}

/* Bits done .. done + bits - 1 of span a, and those of b that belong to them.
 */
static struct spans part_of(struct spans s, size_t done, size_t bits)
{
    s.b += s.reverse ? s.bits - done - bits : done;
    s.a += done;
    s.bits = bits;
    return s;
}

/* Whole bytes, at least a word of them; span a starts with a byte. The last
 * word ends with the last byte, so it may overlap the one before. */
static void copy_bytes(const struct bits_memory *m, const unsigned char *from,
                       unsigned char *to, struct spans s)
{
    size_t words = s.bits / WORD * WORD;
    const size_t starts[] = {0, s.bits - WORD}, bits[] = {words, WORD};

    if (!s.reverse && s.b % 8 == 0) {
        memcpy(to + s.a / 8, from + s.b / 8, s.bits / 8);
        return;
    }
    for (size_t i = 0; i < (words < s.bits ? 2 : 1); i++) {
        struct spans part = part_of(s, starts[i], bits[i]);
        const struct bit_transfer t = {m->format, s.reverse, part.b % 8};

        m->kernels->copy_bits(from + part.b / 8, to + part.a / 8,
                              part.bits / WORD, &t);
    }
}

static void copy_span(const struct bits_memory *m, const unsigned char *from,
                      unsigned char *to, struct spans s)
{
    size_t head = s.bits > FEW ? (0 - s.a) % 8 : 0;
    size_t bytes = (s.bits - head) / 8 * 8, bits;

    if (bytes < WORD)
        bytes = 0;
    if (head > 0)
        copy_few(m, from, to, part_of(s, 0, head));
    if (bytes > 0)
        copy_bytes(m, from, to, part_of(s, head, bytes));
    for (size_t done = head + bytes; done < s.bits; done += bits) {
        bits = size_min(FEW, s.bits - done);
        copy_few(m, from, to, part_of(s, done, bits));
    }
}

/* Copies span b over span a, and what was there over span b. Both have at most
 * CHUNK bytes. In the buffer the elements start at the same bit of a byte as in
 * a. */
static void swap_chunk(const struct bits_memory *m, unsigned char *data,
                       struct spans s)
{
    unsigned char buffer[CHUNK + 1];
    size_t start = s.a % 8;

    copy_span(m, data, buffer, (struct spans){start, s.b, s.bits, s.reverse});
    if (s.a != s.b)
        copy_span(m, data, data, (struct spans){s.b, s.a, s.bits, s.reverse});
    copy_span(m, buffer, data, (struct spans){s.a, start, s.bits, false});
}

/* The spans may be the halves of one that is reversed, around at most one
 * element. */
static void swap_span(const struct bits_memory *m, unsigned char *data,
                      struct spans s)
{
    size_t bits, whole = s.b + s.bits - s.a;
    bool are_halves = s.reverse && s.b - (s.a + s.bits) <= m->format.bits;

    if (s.bits > 0 && s.bits <= FEW) {
        uint64_t a = load_few(m, data, s.a, s.bits, s.reverse);
        uint64_t b = load_few(m, data, s.b, s.bits, s.reverse);

        store_few(m, data, s.a, s.bits, b);
        store_few(m, data, s.b, s.bits, a);
        return;
    }
    if (are_halves && whole <= (size_t)8 * CHUNK) {
        swap_chunk(m, data, (struct spans){s.a, s.a, whole, true});
        return;
    }
    for (size_t done = 0; done < s.bits; done += bits) {
        bits = size_min((size_t)8 * CHUNK, s.bits - done);
        swap_chunk(m, data, part_of(s, done, bits));
    }
}

static bool in_place(const struct bits_memory *memory)
{
    return memory->from == memory->to;
}

/* Moves `count` elements from b on to a on; in place the two are exchanged. */
static void move_span(const struct bits_memory *memory, size_t a, size_t b,
                      size_t count, bool reverse)
{
    const unsigned bits = memory->format.bits;
    const struct spans s = {a * bits, b * bits, count * bits, reverse};

    if (in_place(memory))
        swap_span(memory, memory->to, s);
    else
        copy_span(memory, memory->from, memory->to, s);
}

/* Single elements in reverse order are one span; else each row is one. */
static void move_plane(const struct bits_memory *memory,
                       const struct strided_rows *rows)
{
    size_t a = rows->a, b = rows->b;

    if (rows->size == 1 && strided_rows_reversed(rows)) {
        move_span(memory, a, b + 1 - rows->count, rows->count, true);
        return;
    }
    for (size_t i = 0; i < rows->count; i++) {
        move_span(memory, a, b, rows->size, false);
        a += (size_t)rows->a_step;
        b += (size_t)rows->b_step;
    }
}

void bits_move_rows(const struct bits_memory *memory,
                    const struct strided_rows *rows)
{
    struct strided_rows plane = *rows;

    for (size_t i = 0; i < rows->batch; i++) {
        move_plane(memory, &plane);
        plane.a += rows->batch_step;
        plane.b += rows->batch_step;
    }
}

void bits_swap_ragged_rows(const struct bits_memory *memory,
                           const struct ragged_rows *rows)
{
    for (size_t i = 0, first = 0; i < rows->count; i++, first += rows->rows) {
        size_t len = (size_t)rows->lens[i], half = len / 2;

        move_span(memory, first, first + len - half, half, true);
    }
}
