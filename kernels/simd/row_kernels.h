/* The row kernels of a table, and tiny planes: many adjacent planes of up to
 * two vectors. Included by table.h after a vector header. */
#pragma once

#include "kernels/simd/rows.h"

#include "kernels/simd/reverse.h"

/* With fewer bytes, computing the shuffle costs more than it saves. */
enum { TINY_PLANES_MIN_BYTES = 256 };

/* True for planes of `plane` bytes, of which one reversal is `rows`. */
static bool are_tiny_planes(const struct strided_rows *rows, size_t plane)
{
    size_t filled = plane < VECTOR_BYTES ? plane : rows->size;

    return plane <= 2 * (size_t)VECTOR_BYTES && rows->batch_step == plane &&
           rows->batch * plane >= TINY_PLANES_MIN_BYTES &&
           reverses(rows->size, VECTOR_BYTES) &&
           ((VECTOR_SHUFFLES && plane <= VECTOR_BYTES) ||
            VECTOR_BYTES % filled == 0);
}

/* Moves the last bytes. */
INLINE void move_last_planes(const unsigned char *from, unsigned char *to,
                             size_t bytes, const struct reverse_index *index)
{
    for (size_t done = 0; done < bytes; done += index->bytes) {
        size_t left = bytes - done;
        size_t part = left < index->bytes ? left : index->bytes;
        vector v = vector_load_part(from + done, part);

        vector_store_part(to + done, reverse_planes(v, index), part);
    }
}

/* Reverses the rows of each plane from `from` to `to`, which may be the same:
 * both ends of a plane of one to two vectors, which may overlap. */
static void move_ends(const unsigned char *from, unsigned char *to,
                      const struct strided_rows *rows, size_t plane)
{
    const struct reverse_index index = reverse_index_of_rows(rows->size);
    const size_t last = plane - VECTOR_BYTES, batch = rows->batch;

    for (size_t i = 0; i < batch; i++, from += plane, to += plane) {
        vector a = vector_load(from), b = vector_load(from + last);

        vector_store(to, reverse_all(b, &index));
        vector_store(to + last, reverse_all(a, &index));
    }
}

/* Reverses the rows of each plane, several planes in a vector. A store also
 * writes the bytes after the last whole plane of its vector. The next store
 * corrects them; in place, its source is loaded before. */
static void move_several(const unsigned char *from, unsigned char *to,
                         const struct strided_rows *rows, size_t plane)
{
    const struct reverse_index index = reverse_index_of(rows->size, plane);
    const size_t bytes = rows->batch * plane, step = index.bytes;
    vector v = vector_load(from), next;
    size_t done = 0;

    for (; done + step + VECTOR_BYTES <= bytes; done += step) {
        next = vector_load(from + done + step);
        vector_store(to + done, reverse_planes(v, &index));
        v = next;
    }
    move_last_planes(from + done, to + done, bytes - done, &index);
}

static void move_tiny_planes(const unsigned char *from, unsigned char *to,
                             const struct strided_rows *rows, size_t plane)
{
    if (plane > VECTOR_BYTES)
        move_ends(from, to, rows, plane);
    else
        move_several(from, to, rows, plane);
}

static void rows_swap(unsigned char *data, const struct strided_rows *rows)
{
    size_t plane = rows->b + rows->size - rows->a;
    bool reversed = strided_rows_reversed(rows);

    if (reversed && rows->count == plane / rows->size / 2 &&
        are_tiny_planes(rows, plane))
        move_tiny_planes(data + rows->a, data + rows->a, rows, plane);
    else if (reversed && reverses(rows->size, rows->count * rows->size))
        reverse_swap(data, rows);
    else
        swap_rows(data, rows);
}

static void rows_copy(const unsigned char *from, unsigned char *to,
                      const struct strided_rows *rows)
{
    size_t plane = rows->count * rows->size;
    bool reversed = strided_rows_reversed(rows);

    if (reversed && are_tiny_planes(rows, plane))
        move_tiny_planes(from + rows->b + rows->size - plane, to + rows->a,
                         rows, plane);
    else if (reversed && reverses(rows->size, plane))
        reverse_copy(from, to, rows);
    else
        copy_rows(from, to, rows);
}

static void rows_swap_ragged(unsigned char *data,
                             const struct ragged_rows *rows)
{
    if (reverses(rows->size, rows->rows * rows->size))
        reverse_swap_ragged(data, rows);
    else
        swap_rows_ragged(data, rows);
}

static void rows_copy_ragged(const unsigned char *from, unsigned char *to,
                             const struct ragged_rows *rows)
{
    if (reverses(rows->size, rows->rows * rows->size))
        reverse_copy_ragged(from, to, rows);
    else
        copy_rows_ragged(from, to, rows);
}
