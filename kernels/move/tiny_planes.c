#include "kernels/move/tiny_planes.h"

#include <stdint.h>

/* With fewer bytes, computing the shuffle costs more than it saves. */
enum { LEAST_BYTES = 256 };

/* For i < 64: i / divisor is i * 2 * reciprocal / 2^16, in 16-bit numbers, for
 * which vectors have a multiplication. */
static uint16_t reciprocal(size_t divisor)
{
    return (uint16_t)(32767 / divisor + 1);
}

static uint16_t divide(uint16_t i, uint16_t by_reciprocal)
{
    return (uint16_t)((uint32_t)(uint16_t)(i * 2) * by_reciprocal >> 16);
}

static void fill_index(struct shuffle *s)
{
    uint16_t plane = (uint16_t)s->plane, size = (uint16_t)s->size;
    uint16_t per_plane = reciprocal(plane), per_size = reciprocal(size);
    uint16_t step = (uint16_t)s->step;

    for (size_t j = 0; j < sizeof(s->index); j++) {
        uint16_t i = (uint16_t)j;
        uint16_t at = (uint16_t)(i - divide(i, per_plane) * plane);
        uint16_t row = divide(at, per_size);
        uint16_t reversed = (uint16_t)(i + plane - size - 2 * row * size);

        s->index[j] = (unsigned char)(i < step ? reversed : i);
    }
}

/* Makes the shuffle if planes of `plane` bytes are worth it. */
static bool find_shuffle(const struct kernel_table *kernels,
                         const struct strided_rows *rows, size_t plane,
                         struct shuffle *s)
{
    if (plane > kernels->shuffle.width || rows->batch_step != plane ||
        !strided_rows_reversed(rows) || rows->batch * plane < LEAST_BYTES)
        return false;
    s->size = rows->size;
    s->plane = plane;
    s->step = kernels->shuffle.width / plane * plane;
    fill_index(s);
    return true;
}

bool move_tiny_planes_swap(const struct kernel_table *kernels,
                           unsigned char *data, const struct strided_rows *rows)
{
    size_t plane = rows->b + rows->size - rows->a;
    struct shuffle s;

    if (rows->count != plane / rows->size / 2 ||
        !find_shuffle(kernels, rows, plane, &s))
        return false;
    kernels->shuffle.run(data + rows->a, data + rows->a, rows->batch * plane,
                         &s);
    return true;
}

bool move_tiny_planes_copy(const struct kernel_table *kernels,
                           const unsigned char *from, unsigned char *to,
                           const struct strided_rows *rows)
{
    size_t plane = rows->count * rows->size;
    struct shuffle s;

    if (!find_shuffle(kernels, rows, plane, &s))
        return false;
    kernels->shuffle.run(from + rows->b + rows->size - plane, to + rows->a,
                         rows->batch * plane, &s);
    return true;
}
