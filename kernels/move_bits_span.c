#include "kernels/move_bits_span.h"

#include <stdint.h>
#include <string.h>

#include "kernels/move_unit.h"

#define INLINE MOVE_UNIT_INLINE

/* Bytes of elements that are handled at once, so many that what was stored is
 * in the cache when it is loaded at another place; and room beside them: one
 * byte in front, and what the span's ends add. */
enum { CHUNK = 4096, ROOM = CHUNK + 8 };

static size_t per_byte(const struct move_bits *packing)
{
    return 8 / packing->bits;
}

/* The elements of each byte in reverse order; `bits` is a constant. */
INLINE void turn_bytes(unsigned char *data, size_t size, unsigned bits)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char x = data[i];

        x = (unsigned char)(x >> 4 | x << 4);
        if (bits < 4)
            x = (unsigned char)((x >> 2 & 0x33) | (x & 0x33) << 2);
        if (bits < 2)
            x = (unsigned char)((x >> 1 & 0x55) | (x & 0x55) << 1);
        data[i] = x;
    }
}

static void turn(unsigned char *data, size_t size, unsigned bits)
{
    if (bits == 1)
        turn_bytes(data, size, 1);
    else if (bits == 2)
        turn_bytes(data, size, 2);
    else
        turn_bytes(data, size, 4);
}

/* Bytes that start `shift` bits inside those of `in`, which has one more. */
static void shift_bytes(const unsigned char *restrict in,
                        unsigned char *restrict out, size_t size,
                        unsigned shift, bool high_first)
{
    if (shift == 0)
        memcpy(out, in, size);
    else if (high_first)
        for (size_t i = 0; i < size; i++)
            out[i] = (unsigned char)(in[i] << shift | in[i + 1] >> (8 - shift));
    else
        for (size_t i = 0; i < size; i++)
            out[i] = (unsigned char)(in[i] >> shift | in[i + 1] << (8 - shift));
}

static void copy_reverse(const unsigned char *from, unsigned char *to,
                         size_t size)
{
    const struct move_rows rows = {.b = size - 1,
                                   .a_step = 1,
                                   .b_step = -1,
                                   .count = size,
                                   .size = 1,
                                   .planes = 1};

    move_code_best()->copy(from, to, &rows);
}

/* Puts the elements of the span into `out`, the first one `phase` elements
 * into the first byte. */
static void fetch(const struct move_bits *packing, const unsigned char *data,
                  struct move_bits_span span, bool reverse, size_t phase,
                  unsigned char *out)
{
    size_t per = per_byte(packing);
    size_t last = span.first + span.count - 1;
    size_t offset = reverse ? per - 1 - last % per : span.first % per;
    size_t size = last / per - span.first / per + 1;
    unsigned char room[ROOM];
    unsigned char *in = room + 1;

    room[0] = 0;
    if (reverse) {
        copy_reverse(data + span.first / per, in, size);
        turn(in, size, packing->bits);
    } else {
        memcpy(in, data + span.first / per, size);
    }
    in[size] = 0;
    in[size + 1] = 0;
    if (offset < phase) {
        in--;
        offset += per;
    }
    shift_bytes(in, out, (phase + span.count + per - 1) / per,
                (unsigned)(offset - phase) * packing->bits,
                packing->high_first);
}

/* The bits of elements from .. to - 1 of a byte. */
static unsigned mask_of(const struct move_bits *packing, size_t from, size_t to)
{
    unsigned ones = (1u << (to - from) * packing->bits) - 1;
    size_t below = packing->high_first ? per_byte(packing) - to : from;

    return ones << below * packing->bits;
}

static void merge(unsigned char *at, unsigned char value, unsigned mask)
{
    *at = (unsigned char)((*at & ~mask) | (value & mask));
}

/* Writes what fetch() made of another span in the phase of this one. */
static void put(const struct move_bits *packing, unsigned char *data,
                struct move_bits_span span, const unsigned char *in)
{
    size_t per = per_byte(packing);
    size_t phase = span.first % per, end = (phase + span.count) % per;
    size_t size = (phase + span.count) / per;
    unsigned char *at = data + span.first / per;

    if (size == 0) {
        merge(at, in[0], mask_of(packing, phase, end));
        return;
    }
    merge(at, in[0], mask_of(packing, phase, per));
    memcpy(at + 1, in + 1, size - 1);
    if (end > 0)
        merge(at + size, in[size], mask_of(packing, 0, end));
}

/* The part of b that goes to the part of a at `done`. */
static struct move_bits_span mirror(struct move_bits_span b, size_t done,
                                    size_t count, bool reverse)
{
    size_t before = reverse ? b.count - done - count : done;

    return (struct move_bits_span){b.first + before, count};
}

void move_bits_span_swap(const struct move_bits *packing, unsigned char *data,
                         struct move_bits_span a, struct move_bits_span b,
                         bool reverse)
{
    size_t per = per_byte(packing), most = CHUNK * per;
    unsigned char x[ROOM], y[ROOM];

    for (size_t done = 0; done < a.count; done += most) {
        size_t left = a.count - done;
        struct move_bits_span to = {a.first + done, left < most ? left : most};
        struct move_bits_span from = mirror(b, done, to.count, reverse);

        fetch(packing, data, from, reverse, to.first % per, x);
        fetch(packing, data, to, reverse, from.first % per, y);
        put(packing, data, to, x);
        put(packing, data, from, y);
    }
}

void move_bits_span_copy(const struct move_bits *packing,
                         const unsigned char *from, unsigned char *to,
                         struct move_bits_span a, struct move_bits_span b,
                         bool reverse)
{
    size_t per = per_byte(packing), most = CHUNK * per;
    unsigned char x[ROOM];

    for (size_t done = 0; done < a.count; done += most) {
        size_t left = a.count - done;
        struct move_bits_span part = {a.first + done,
                                      left < most ? left : most};

        fetch(packing, from, mirror(b, done, part.count, reverse), reverse,
              part.first % per, x);
        put(packing, to, part, x);
    }
}
