#include "kernels/move/bits_span.h"

#include <stdint.h>
#include <string.h>

/* Bytes of elements that are handled at once, so many that what was stored is
 * in the cache when it is loaded at another place; and room for the ends of a
 * span that starts inside a byte. */
enum { CHUNK = 4096, ROOM = CHUNK + 2 };

/* Bytes from which on both sides of a span are exchanged without a stage, and
 * the room for less than two bytes of elements that start inside one. */
enum { LONG = 2048, EDGE = 3 };

/* Elements that a byte holds, 8, 4 or 2, as a shift: a division would take as
 * long as many of them. */
static unsigned byte_shift(const struct move_bits_way *way)
{
    return 3 - way->packing.bits / 2;
}

/* The byte that an element is in, and its place there. */
static size_t byte_of(const struct move_bits_way *way, size_t element)
{
    return element >> byte_shift(way);
}

static size_t place_of(const struct move_bits_way *way, size_t element)
{
    return element & (((size_t)1 << byte_shift(way)) - 1);
}

/* The elements of a byte in reverse order. */
static unsigned turn(unsigned x, unsigned bits)
{
    x = x >> 4 | (x & 0x0F) << 4;
    if (bits < 4)
        x = (x >> 2 & 0x33) | (x & 0x33) << 2;
    if (bits < 2)
        x = (x >> 1 & 0x55) | (x & 0x55) << 1;
    return x;
}

/* A byte with its first element in the low bits, and back. */
static unsigned low_first(const struct move_bits *packing, unsigned x)
{
    return packing->high_first ? turn(x, packing->bits) : x;
}

/* Makes elements `at` .. at + from.count - 1 of one byte of the span. Looks at
 * no byte without one of its elements. */
static void move_part(const struct move_bits_way *way,
                      const unsigned char *data, struct move_bits_span from,
                      unsigned char *to, size_t at)
{
    const struct move_bits *packing = &way->packing;
    unsigned bits = packing->bits;
    size_t first = byte_of(way, from.first);
    size_t last = byte_of(way, from.first + from.count - 1);
    unsigned mask = ((1u << from.count * bits) - 1) << at * bits;
    unsigned x = low_first(packing, data[first]);

    if (last != first)
        x |= low_first(packing, data[last]) << 8;
    x >>= place_of(way, from.first) * bits;
    if (way->reverse)
        x = turn(x & 0xFF, bits) >> (8 - from.count * bits);
    x = (low_first(packing, *to) & ~mask) | (x << at * bits & mask);
    *to = (unsigned char)low_first(packing, x);
}

/* The part of b that goes to the part of a at `done`. */
static struct move_bits_span mirror(const struct move_bits_way *way,
                                    struct move_bits_span b, size_t done,
                                    size_t count)
{
    size_t before = way->reverse ? b.count - done - count : done;

    return (struct move_bits_span){b.first + before, count};
}

static void move_bytes(const struct move_code *code,
                       const struct move_bits_way *way,
                       const unsigned char *from, unsigned char *to,
                       struct move_bits_span part)
{
    size_t bytes = byte_of(way, part.count);
    struct move_bits_way shifted = *way;

    shifted.shift = (unsigned)place_of(way, part.first) * way->packing.bits;
    from += byte_of(way, part.first);
    if (!way->reverse && shifted.shift == 0)
        memcpy(to, from, bytes);
    else
        code->bits(from, to, bytes, &shifted);
}

void move_bits_span_copy(const struct move_code *code,
                         const struct move_bits_way *way,
                         const unsigned char *from, unsigned char *to,
                         struct move_bits_span a, struct move_bits_span b)
{
    size_t at = place_of(way, a.first);
    size_t head = place_of(way, 0 - at), body, tail;

    to += byte_of(way, a.first);
    if (head > a.count)
        head = a.count;
    tail = place_of(way, a.count - head);
    body = a.count - head - tail;
    if (head > 0)
        move_part(way, from, mirror(way, b, 0, head), to++, at);
    if (body > 0)
        move_bytes(code, way, from, to, mirror(way, b, head, body));
    if (tail > 0)
        move_part(way, from, mirror(way, b, head + body, tail),
                  to + byte_of(way, body), 0);
}

/* By way of `stage`, in the phase of a. */
static void swap_chunk(const struct move_code *code,
                       const struct move_bits_way *way, unsigned char *data,
                       struct move_bits_span a, struct move_bits_span b)
{
    struct move_bits_way straight = {.packing = way->packing};
    struct move_bits_span staged = {place_of(way, a.first), a.count};
    unsigned char stage[ROOM];

    stage[0] = stage[byte_of(way, staged.first + staged.count)] = 0;
    move_bits_span_copy(code, way, data, stage, staged, b);
    move_bits_span_copy(code, way, data, data, b, a);
    move_bits_span_copy(code, &straight, stage, data, a, staged);
}

static void swap_chunks(const struct move_code *code,
                        const struct move_bits_way *way, unsigned char *data,
                        struct move_bits_span a, struct move_bits_span b)
{
    size_t most = (size_t)CHUNK << byte_shift(way);

    for (size_t done = 0; done < a.count; done += most) {
        size_t left = a.count - done;
        struct move_bits_span part = {a.first + done,
                                      left < most ? left : most};

        swap_chunk(code, way, data, part, mirror(way, b, done, part.count));
    }
}

/* A few elements on their way to another place. */
struct edge {
    struct move_bits_span to, held; /* held in the same phase */
    unsigned char bytes[EDGE];
};

/* The elements `to` get, in reverse order, of `from`. */
static struct edge take_edge(const struct move_code *code,
                             const struct move_bits_way *way,
                             const unsigned char *data,
                             struct move_bits_span to, size_t from)
{
    struct edge edge = {.to = to, .held = {place_of(way, to.first), to.count}};
    struct move_bits_span b = {from, to.count};

    move_bits_span_copy(code, way, data, edge.bytes, edge.held, b);
    return edge;
}

static void put_edge(const struct move_code *code,
                     const struct move_bits_way *way, unsigned char *data,
                     const struct edge *edge)
{
    struct move_bits_way straight = {.packing = way->packing};

    move_bits_span_copy(code, &straight, edge->bytes, data, edge->to,
                        edge->held);
}

/* a starts with a byte, b ends in one: what is no whole byte on both sides is
 * taken before the others change places. */
static void swap_bytes(const struct move_code *code,
                       const struct move_bits_way *way, unsigned char *data,
                       struct move_bits_span a, struct move_bits_span b)
{
    size_t end = b.first + b.count, behind = place_of(way, end);
    size_t bytes = byte_of(way, a.count) - 1;
    size_t rest = a.count - (bytes << byte_shift(way));
    struct move_bits_span last_a = {a.first + a.count - rest, rest};
    struct move_bits_span first_b = {b.first, rest - behind};
    struct move_bits_span last_b = {end - behind, behind};
    struct move_bits_way shifted = *way;
    struct edge edges[] = {
        take_edge(code, way, data, last_a, b.first),
        take_edge(code, way, data, first_b, last_a.first + behind),
        take_edge(code, way, data, last_b, a.first),
    };

    shifted.shift = (unsigned)behind * way->packing.bits;
    code->swap_bits(data + byte_of(way, a.first), data + byte_of(way, end),
                    bytes, &shifted);
    for (size_t i = 0; i < sizeof(edges) / sizeof(*edges); i++)
        put_edge(code, way, data, &edges[i]);
}

void move_bits_span_swap(const struct move_code *code,
                         const struct move_bits_way *way, unsigned char *data,
                         struct move_bits_span a, struct move_bits_span b)
{
    size_t head = place_of(way, 0 - a.first);
    struct move_bits_span first = {a.first, head};

    if (!way->reverse || !code->swap_bits || byte_of(way, a.count) < LONG) {
        swap_chunks(code, way, data, a, b);
        return;
    }
    if (head > 0)
        swap_chunk(code, way, data, first, mirror(way, b, 0, head));
    a.first += head;
    a.count = b.count -= head;
    swap_bytes(code, way, data, a, b);
}
