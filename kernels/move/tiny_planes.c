#include "kernels/move/tiny_planes.h"

#include <string.h>

#include "kernels/simd/generic/generic.h"
#include "kernels/simd/unit.h"

/* Bytes from which on it pays to work out an order. */
enum { LEAST_BYTES = 256 };

/* For at < 64: at / divisor is at * 2 * reciprocal / 2^16, in numbers of 16
 * bits, for which vectors have a multiplication. */
static uint16_t reciprocal(size_t divisor)
{
    return (uint16_t)(32767 / divisor + 1);
}

static uint16_t divide(uint16_t at, uint16_t by_reciprocal)
{
    return (uint16_t)((uint32_t)(uint16_t)(at * 2) * by_reciprocal >> 16);
}

static void fill_order(struct move_order *order)
{
    uint16_t period = (uint16_t)order->period, size = (uint16_t)order->size;
    uint16_t per_period = reciprocal(period), per_size = reciprocal(size);
    uint16_t step = (uint16_t)order->step;

    for (size_t j = 0; j < sizeof(order->from); j++) {
        uint16_t i = (uint16_t)j;
        uint16_t at = (uint16_t)(i - divide(i, per_period) * period);
        uint16_t row = divide(at, per_size);
        uint16_t turned = (uint16_t)(i + period - size - 2 * row * size);

        order->from[j] = (unsigned char)(i < step ? turned : i);
    }
}

/* Whether planes of `period` bytes are worth an order, and that order. */
static bool find_order(const struct move_code *code,
                       const struct move_rows *rows, size_t period,
                       struct move_order *order)
{
    ptrdiff_t size = (ptrdiff_t)rows->size;

    if (period > code->turn_width || rows->plane_step != period ||
        rows->a_step != size || rows->b_step != -size ||
        rows->planes * period < LEAST_BYTES)
        return false;
    order->size = rows->size;
    order->period = period;
    order->step = code->turn_width / period * period;
    fill_order(order);
    return true;
}

bool move_periods_swap(const struct move_code *code, unsigned char *data,
                       const struct move_rows *rows)
{
    size_t period = rows->b + rows->size - rows->a;
    struct move_order order;

    if (rows->count != period / rows->size / 2 ||
        !find_order(code, rows, period, &order))
        return false;
    code->turn(data + rows->a, data + rows->a, rows->planes * period, &order);
    return true;
}

bool move_periods_copy(const struct move_code *code, const unsigned char *from,
                       unsigned char *to, const struct move_rows *rows)
{
    size_t period = rows->count * rows->size;
    struct move_order order;

    if (!find_order(code, rows, period, &order))
        return false;
    code->turn(from + rows->b + rows->size - period, to + rows->a,
               rows->planes * period, &order);
    return true;
}

void move_periods_rest(const unsigned char *from, unsigned char *to,
                       size_t bytes, const struct move_order *order)
{
    unsigned char in[2 * sizeof(order->from)];
    size_t step = order->step;

    memcpy(in, from, bytes);
    for (size_t done = 0; done < bytes; done += step)
        for (size_t i = 0; i < step && done + i < bytes; i++)
            to[done + i] = in[done + order->from[i]];
}

/* Exchanges units of `bits` bits that are neighbours in a word. */
static uint64_t turn_units(uint64_t x, unsigned bits, uint64_t low)
{
    return (x >> bits & low) | (x & low) << bits;
}

/* Words whose planes and entries are powers of two. */
static void turn_words(const unsigned char *from, unsigned char *to,
                       size_t words, size_t size, size_t period)
{
    for (size_t i = 0; i < words; i++) {
        uint64_t x = move_unit_load(from + i * 8, 8);

        if (size == 1)
            x = turn_units(x, 8, 0x00FF00FF00FF00FF);
        if (size <= 2 && period >= 4)
            x = turn_units(x, 16, 0x0000FFFF0000FFFF);
        if (period == 8)
            x = x >> 32 | x << 32;
        move_unit_store(to + i * 8, x, 8);
    }
}

void move_turn_plain(const unsigned char *from, unsigned char *to, size_t bytes,
                     const struct move_order *order)
{
    size_t done = 0;

    if (8 % order->period == 0) {
        done = bytes / 8 * 8;
        turn_words(from, to, bytes / 8, order->size, order->period);
    }
    for (; done < bytes; done += order->step)
        move_periods_rest(
            from + done, to + done,
            bytes - done < order->step ? bytes - done : order->step, order);
}
