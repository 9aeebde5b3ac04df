#include "kernels/move/bits/bits_span.h"

#include <stdint.h>
#include <string.h>

/* Bytes of elements that are exchanged at a time, so few that the first level
 * cache keeps them until they are loaded again; and the size of a buffer for a
 * span of them that starts inside a byte. */
enum { CHUNK = 4096, CHUNK_BUFFER = CHUNK + 2 };

/* Spans of LONG_SPAN bytes are exchanged without a buffer; and the size of a
 * buffer for less than two bytes of elements that start inside a byte. */
enum { LONG_SPAN = 2048, EDGE_BUFFER = 3 };

/* The elements of a byte, 8, 4 or 2, as a shift: a division would cost as much
 * as moving many of them. */
static unsigned byte_shift(const struct bit_mover *m)
{
    return 3 - m->transfer.format.bits / 2;
}

static size_t byte_of(const struct bit_mover *m, size_t element)
{
    return element >> byte_shift(m);
}

/* Number of an element inside its byte. */
static size_t slot_of(const struct bit_mover *m, size_t element)
{
    return element & (((size_t)1 << byte_shift(m)) - 1);
}

/* Reverses the elements of a byte. */
static unsigned reverse_byte(unsigned x, unsigned bits)
{
    x = x >> 4 | (x & 0x0F) << 4;
    if (bits < 4)
        x = (x >> 2 & 0x33) | (x & 0x33) << 2;
    if (bits < 2)
        x = (x >> 1 & 0x55) | (x & 0x55) << 1;
    return x;
}

/* Converts a byte to or from one with its first element in the low bits. */
static unsigned low_first(const struct element_format *format, unsigned x)
{
    return format->high_first ? reverse_byte(x, format->bits) : x;
}

/* Writes elements `slot` .. slot + from.count - 1 of one byte. Reads no byte
 * that has none of the source elements. */
static void copy_slots(const struct bit_mover *m, const unsigned char *data,
                       struct bit_span from, unsigned char *to, size_t slot)
{
    const struct element_format *format = &m->transfer.format;
    unsigned bits = format->bits;
    size_t first = byte_of(m, from.first);
    size_t last = byte_of(m, from.first + from.count - 1);
    unsigned mask = ((1u << from.count * bits) - 1) << slot * bits;
    unsigned x = low_first(format, data[first]);

    if (last != first)
        x |= low_first(format, data[last]) << 8;
    x >>= slot_of(m, from.first) * bits;
    if (m->transfer.reverse)
        x = reverse_byte(x & 0xFF, bits) >> (8 - from.count * bits);
    x = (low_first(format, *to) & ~mask) | (x << slot * bits & mask);
    *to = (unsigned char)low_first(format, x);
}

/* The part of b that belongs to elements done .. done + count - 1 of a. */
static struct bit_span source_part(const struct bit_mover *m, struct bit_span b,
                                   size_t done, size_t count)
{
    size_t before = m->transfer.reverse ? b.count - done - count : done;

    return (struct bit_span){b.first + before, count};
}

static void copy_bytes(const struct bit_mover *m, const unsigned char *from,
                       unsigned char *to, struct bit_span part)
{
    size_t bytes = byte_of(m, part.count);
    struct bit_transfer t = m->transfer;

    t.shift = (unsigned)slot_of(m, part.first) * t.format.bits;
    from += byte_of(m, part.first);
    if (!t.reverse && t.shift == 0)
        memcpy(to, from, bytes);
    else
        m->kernels->bits.copy(from, to, bytes, &t);
}

void bits_span_copy(const struct bit_mover *m, const unsigned char *from,
                    unsigned char *to, struct bit_span a, struct bit_span b)
{
    size_t slot = slot_of(m, a.first);
    size_t head = slot_of(m, 0 - slot), body, tail;

    to += byte_of(m, a.first);
    if (head > a.count)
        head = a.count;
    tail = slot_of(m, a.count - head);
    body = a.count - head - tail;
    if (head > 0)
        copy_slots(m, from, source_part(m, b, 0, head), to++, slot);
    if (body > 0)
        copy_bytes(m, from, to, source_part(m, b, head, body));
    if (tail > 0)
        copy_slots(m, from, source_part(m, b, head + body, tail),
                   to + byte_of(m, body), 0);
}

static struct bit_mover straight(const struct bit_mover *m)
{
    return (struct bit_mover){m->kernels, {.format = m->transfer.format}};
}

/* Exchanges at most CHUNK bytes through a buffer in which the elements have the
 * slots of a. */
static void swap_chunk(const struct bit_mover *m, unsigned char *data,
                       struct bit_span a, struct bit_span b)
{
    const struct bit_mover back = straight(m);
    struct bit_span saved = {slot_of(m, a.first), a.count};
    unsigned char buffer[CHUNK_BUFFER];

    buffer[0] = buffer[byte_of(m, saved.first + saved.count)] = 0;
    bits_span_copy(m, data, buffer, saved, b);
    bits_span_copy(m, data, data, b, a);
    bits_span_copy(&back, buffer, data, a, saved);
}

static void swap_chunks(const struct bit_mover *m, unsigned char *data,
                        struct bit_span a, struct bit_span b)
{
    size_t most = (size_t)CHUNK << byte_shift(m);

    for (size_t done = 0; done < a.count; done += most) {
        size_t left = a.count - done;
        struct bit_span part = {a.first + done, left < most ? left : most};

        swap_chunk(m, data, part, source_part(m, b, done, part.count));
    }
}

/* A few elements that are saved while others are exchanged. */
struct edge {
    struct bit_span to, saved; /* the saved ones have the same slots */
    unsigned char bytes[EDGE_BUFFER];
};

/* Loads the new values of the elements `to`: the reverse of those from `from`
 * on. */
static struct edge load_edge(const struct bit_mover *m,
                             const unsigned char *data, struct bit_span to,
                             size_t from)
{
    struct edge edge = {.to = to, .saved = {slot_of(m, to.first), to.count}};
    struct bit_span b = {from, to.count};

    bits_span_copy(m, data, edge.bytes, edge.saved, b);
    return edge;
}

static void store_edge(const struct bit_mover *m, unsigned char *data,
                       const struct edge *edge)
{
    const struct bit_mover back = straight(m);

    bits_span_copy(&back, edge->bytes, data, edge->to, edge->saved);
}

/* a starts with a byte, b ends anywhere. Elements that are not in a whole byte
 * on both sides are saved while the others are exchanged. */
static void swap_bytes(const struct bit_mover *m, unsigned char *data,
                       struct bit_span a, struct bit_span b)
{
    size_t end = b.first + b.count, slot = slot_of(m, end);
    size_t bytes = byte_of(m, a.count) - 1;
    size_t rest = a.count - (bytes << byte_shift(m));
    struct bit_span last_a = {a.first + a.count - rest, rest};
    struct bit_span first_b = {b.first, rest - slot};
    struct bit_span last_b = {end - slot, slot};
    struct bit_transfer t = m->transfer;
    struct edge edges[] = {
        load_edge(m, data, last_a, b.first),
        load_edge(m, data, first_b, last_a.first + slot),
        load_edge(m, data, last_b, a.first),
    };

    t.shift = (unsigned)slot * t.format.bits;
    m->kernels->ragged_bits->swap_span(data + byte_of(m, a.first),
                                       data + byte_of(m, end), bytes, &t);
    for (size_t i = 0; i < sizeof(edges) / sizeof(*edges); i++)
        store_edge(m, data, &edges[i]);
}

void bits_span_swap(const struct bit_mover *m, unsigned char *data,
                    struct bit_span a, struct bit_span b)
{
    size_t head = slot_of(m, 0 - a.first);
    struct bit_span first = {a.first, head};

    if (!m->transfer.reverse || !m->kernels->ragged_bits ||
        byte_of(m, a.count) < LONG_SPAN) {
        swap_chunks(m, data, a, b);
        return;
    }
    if (head > 0)
        swap_chunk(m, data, first, source_part(m, b, 0, head));
    a.first += head;
    a.count = b.count -= head;
    swap_bytes(m, data, a, b);
}
