/* Adjacent rows in reverse order, several in a vector: strided rows, sequences,
 * and tiny planes, many adjacent ones of up to two vectors. At the end the
 * kernels of a table, which choose between these and rows.h. Included by
 * table.h after a vector. */
#pragma once

#include "kernels/simd/rows.h"

/* The byte order that reverses rows in a vector.
 *
 * For rows of `size` bytes, in planes of whole rows. Plus `end`, `base` is the
 * index that reverses the rows of the first plane if they end at byte `end`,
 * and those of the other planes likewise. */
struct reverse_index {
    size_t size, plane;
    size_t bytes; /* of as many whole planes as fit into a vector */
    vector base;
};

/* For i < 64: i / divisor is i * 2 * reciprocal / 2^16, in 16-bit numbers, for
 * which vectors have a multiplication. */
INLINE uint16_t reciprocal(size_t divisor)
{
    return (uint16_t)(32767 / divisor + 1);
}

INLINE uint16_t divide(uint16_t i, uint16_t by_reciprocal)
{
    return (uint16_t)((uint32_t)(uint16_t)(i * 2) * by_reciprocal >> 16);
}

/* Byte i of a plane is in row i / size, and comes from the row as far from the
 * plane's end. Bytes after the last whole plane stay. */
INLINE struct reverse_index reverse_index_of(size_t row, size_t plane)
{
    struct reverse_index index = {
        .size = row, .plane = plane, .bytes = VECTOR_BYTES / plane * plane};
    const uint16_t size = (uint16_t)row, width = (uint16_t)plane;
    const uint16_t per_row = reciprocal(row), per_plane = reciprocal(plane);
    const uint16_t bytes = (uint16_t)index.bytes;
    unsigned char base[VECTOR_BYTES];

    for (size_t j = 0; VECTOR_SHUFFLES && j < VECTOR_BYTES; j++) {
        uint16_t i = (uint16_t)j;
        uint16_t at = (uint16_t)(i - divide(i, per_plane) * width);
        uint16_t back = (uint16_t)(size + 2 * divide(at, per_row) * size);

        base[j] = (unsigned char)(i - (i < bytes ? back : width));
    }
    if (VECTOR_SHUFFLES)
        index.base = vector_load(base);
    return index;
}

/* For rows that are reversed as far as they go: a vector of whole rows is a
 * plane. */
INLINE struct reverse_index reverse_index_of_rows(size_t row)
{
    return reverse_index_of(row, VECTOR_BYTES / row * row);
}

#if VECTOR_SHUFFLES
/* Reverses rows that fill a vector. */
INLINE vector reverse_all(vector v, const struct reverse_index *index)
{
    return vector_reverse(v, index->base + vector_all(VECTOR_BYTES),
                          index->size);
}

/* Reverses the rows that end at byte `end`; the first of them may start before
 * the vector. The result starts with the last one. */
INLINE vector reverse_rows(vector v, const struct reverse_index *index,
                           size_t end)
{
    return vector_shuffle(v, index->base + vector_all(end));
}

/* Reverses the rows of each plane. */
INLINE vector reverse_planes(vector v, const struct reverse_index *index)
{
    return vector_shuffle(v, index->base + vector_all(index->plane));
}

/* Reverses the first index->bytes bytes, which become the last ones. */
INLINE vector reverse_to_end(vector v, const struct reverse_index *index)
{
    const vector base = vector_shuffle(
        index->base, vector_count() + vector_all(index->bytes - VECTOR_BYTES));

    return vector_shuffle(v, base + vector_all(index->bytes));
}
#else
INLINE vector reverse_all(vector v, const struct reverse_index *index)
{
    return vector_reverse(v, index->base, index->size);
}

INLINE vector reverse_rows(vector v, const struct reverse_index *index,
                           size_t end)
{
    __extension__ unsigned __int128 number;

    vector_store((unsigned char *)&number, reverse_all(v, index));
    number >>= 8 * (VECTOR_BYTES - end);
    return vector_load((const unsigned char *)&number);
}

INLINE vector reverse_to_end(vector v, const struct reverse_index *index)
{
    return reverse_all(v, index);
}

INLINE vector reverse_planes(vector v, const struct reverse_index *index)
{
    v = reverse_all(v, index);
    return index->plane == VECTOR_BYTES
               ? v
               : vector_reverse(v, index->base, index->plane);
}
#endif

/* True if spans of `bytes` bytes of rows of `size` bytes are reversed in
 * vectors; longer rows gain nothing by it. Without a shuffle, rows and spans
 * must fill a vector. */
static bool reverses(size_t size, size_t bytes)
{
    return size <= VECTOR_BYTES / 2 &&
           (VECTOR_SHUFFLES ||
            (VECTOR_BYTES % size == 0 && bytes >= VECTOR_BYTES));
}

/* The vectors of both sides that are exchanged next. They are loaded before the
 * last two are stored: a load that overlaps a store in flight waits for it,
 * even where a mask excludes the common bytes. */
struct pair {
    vector a, b;
};

INLINE struct pair load_pair(const unsigned char *a, const unsigned char *b)
{
    return (struct pair){vector_load(a), vector_load(b - VECTOR_BYTES)};
}

/* True if the rest, less than a vector of both sides, is the middle of a span
 * of a vector or more: whole vectors from both ends may then overlap. */
INLINE bool overlaps(const unsigned char *a, const unsigned char *b,
                     size_t left, const struct reverse_index *index)
{
    size_t middle = (size_t)(b - a);

    return index->bytes == VECTOR_BYTES && middle >= VECTOR_BYTES &&
           middle - 2 * left <= index->size;
}

INLINE struct pair load_rest(const unsigned char *a, const unsigned char *b,
                             size_t left, const struct reverse_index *index)
{
    if (left == 0)
        return (struct pair){index->base, index->base};
    if (overlaps(a, b, left, index))
        return load_pair(a, b);
    return (struct pair){vector_load_part(a, left),
                         vector_load_part(b - left, left)};
}

INLINE void store_rest(unsigned char *a, unsigned char *b, size_t left,
                       struct pair pair, const struct reverse_index *index)
{
    if (left == 0)
        return;
    if (overlaps(a, b, left, index)) {
        vector_store(a, reverse_all(pair.b, index));
        vector_store(b - VECTOR_BYTES, reverse_all(pair.a, index));
        return;
    }
    vector_store_part(a, reverse_rows(pair.b, index, left), left);
    vector_store_part(b - left, reverse_rows(pair.a, index, left), left);
}

/* Stores index->bytes bytes. */
INLINE void store_pair(unsigned char *a, unsigned char *b, struct pair pair,
                       const struct reverse_index *index)
{
    vector_store_part(a, reverse_rows(pair.b, index, VECTOR_BYTES),
                      index->bytes);
    vector_store_part(b - index->bytes,
                      reverse_rows(pair.a, index, index->bytes), index->bytes);
}

/* Stores whole vectors: the next pair, which is loaded, overwrites the surplus
 * bytes. Callers pass `full` as a constant. */
INLINE void store_vectors(unsigned char *a, unsigned char *b, struct pair pair,
                          const struct reverse_index *index, bool full)
{
    vector_store(a, full ? reverse_all(pair.b, index)
                         : reverse_rows(pair.b, index, VECTOR_BYTES));
    vector_store(b - VECTOR_BYTES, full ? reverse_all(pair.a, index)
                                        : reverse_to_end(pair.a, index));
}

/* Exchanges `left` bytes from a on with those that end at b. `full`: whole rows
 * fill a vector. */
INLINE void swap_vectors(unsigned char *a, unsigned char *b, size_t left,
                         const struct reverse_index *index, bool full)
{
    const size_t bytes = full ? VECTOR_BYTES : index->bytes;
    struct pair pair, next;

    if (left < VECTOR_BYTES) {
        store_rest(a, b, left, load_rest(a, b, left, index), index);
        return;
    }
    pair = load_pair(a, b);
    for (; left >= VECTOR_BYTES + bytes; left -= bytes) {
        next = load_pair(a + bytes, b - bytes);
        store_vectors(a, b, pair, index, full);
        pair = next;
        a += bytes;
        b -= bytes;
    }
    left -= bytes;
    next = load_rest(a + bytes, b - bytes, left, index);
    if (full)
        store_vectors(a, b, pair, index, full);
    else
        store_pair(a, b, pair, index);
    store_rest(a + bytes, b - bytes, left, next, index);
}

INLINE void swap_span(unsigned char *a, unsigned char *b, size_t left,
                      const struct reverse_index *index)
{
    if (index->bytes == VECTOR_BYTES)
        swap_vectors(a, b, left, index, true);
    else
        swap_vectors(a, b, left, index, false);
}

/* Stores whole vectors: the next store overwrites the surplus bytes. */
INLINE void copy_vectors(const unsigned char *from, unsigned char *to,
                         size_t left, const struct reverse_index *index,
                         bool full)
{
    const bool overlaps = full && left >= VECTOR_BYTES;

    for (; left >= VECTOR_BYTES; left -= index->bytes) {
        vector last = vector_load(from + left - VECTOR_BYTES);

        vector_store(to, full ? reverse_all(last, index)
                              : reverse_rows(last, index, VECTOR_BYTES));
        to += index->bytes;
    }
    if (left > 0 && overlaps)
        vector_store(to + left - VECTOR_BYTES,
                     reverse_all(vector_load(from), index));
    else if (left > 0)
        vector_store_part(
            to, reverse_rows(vector_load_part(from, left), index, left), left);
}

INLINE void copy_span(const unsigned char *from, unsigned char *to, size_t left,
                      const struct reverse_index *index)
{
    if (index->bytes == VECTOR_BYTES)
        copy_vectors(from, to, left, index, true);
    else
        copy_vectors(from, to, left, index, false);
}

/* These loops copy the arguments, which the stored bytes then cannot alias. */
static void reverse_swap(unsigned char *data, const struct strided_rows *rows)
{
    const struct strided_rows r = *rows;
    const struct reverse_index index = reverse_index_of_rows(r.size);
    size_t left = r.count * r.size;

    for (size_t plane = 0; plane < r.batch; plane++) {
        unsigned char *a = data + r.a + plane * r.batch_step;
        unsigned char *b = data + r.b + plane * r.batch_step;

        swap_span(a, b + r.size, left, &index);
    }
}

static void reverse_copy(const unsigned char *from, unsigned char *to,
                         const struct strided_rows *rows)
{
    const struct strided_rows r = *rows;
    const struct reverse_index index = reverse_index_of_rows(r.size);
    size_t bytes = r.count * r.size;

    from += r.b + r.size - bytes;
    to += r.a;
    for (size_t plane = 0; plane < r.batch; plane++)
        copy_span(from + plane * r.batch_step, to + plane * r.batch_step, bytes,
                  &index);
}

static void reverse_swap_ragged(unsigned char *data,
                                const struct ragged_rows *rows)
{
    const struct ragged_rows r = *rows;
    const struct reverse_index index = reverse_index_of_rows(r.size);

    for (size_t i = 0; i < r.count; i++) {
        size_t len = (size_t)r.lens[i];

        swap_span(data, data + len * r.size, len / 2 * r.size, &index);
        data += r.rows * r.size;
    }
}

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
