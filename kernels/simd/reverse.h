/* Adjacent rows in reverse order, several in a vector: strided rows and
 * sequences. Included by table.h after rows.h. */
#pragma once

#include "kernels/simd/reverse_index.h"

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

/* Stores index->bytes bytes; callers pass `full` as a constant. */
INLINE void store_pair(unsigned char *a, unsigned char *b, struct pair pair,
                       const struct reverse_index *index, bool full)
{
    if (full) {
        vector_store(a, reverse_all(pair.b, index));
        vector_store(b - VECTOR_BYTES, reverse_all(pair.a, index));
        return;
    }
    vector_store_part(a, reverse_rows(pair.b, index, VECTOR_BYTES),
                      index->bytes);
    vector_store_part(b - index->bytes,
                      reverse_rows(pair.a, index, index->bytes), index->bytes);
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
        store_pair(a, b, pair, index, full);
        pair = next;
        a += bytes;
        b -= bytes;
    }
    left -= bytes;
    next = load_rest(a + bytes, b - bytes, left, index);
    store_pair(a, b, pair, index, full);
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

/* Reverses the rows that end where the vector ends. */
INLINE vector reverse_last(vector v, const struct reverse_index *index,
                           bool full)
{
    return full ? reverse_all(v, index) : reverse_rows(v, index, VECTOR_BYTES);
}

/* Stores whole vectors: the next store overwrites the surplus bytes. */
INLINE void copy_vectors(const unsigned char *from, unsigned char *to,
                         size_t left, const struct reverse_index *index,
                         bool full)
{
    const bool overlaps = full && left >= VECTOR_BYTES;

    for (; left >= VECTOR_BYTES; left -= index->bytes) {
        vector last = vector_load(from + left - VECTOR_BYTES);

        vector_store(to, reverse_last(last, index, full));
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

/* These loops work on a copy of the arguments, which the stored bytes cannot
 * alias. */
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

/* A sequence with others on both sides, of which the first `reversed` of
 * `bytes` bytes are reversed. No branch depends on where they end, which cannot
 * be predicted. Reads up to a vector before and after the sequence, and writes
 * as much after it. */
INLINE void copy_between(const unsigned char *from, unsigned char *to,
                         size_t bytes, size_t reversed,
                         const struct reverse_index *index, bool full)
{
    for (size_t done = 0; done < bytes; done += index->bytes) {
        size_t left = reversed > done ? reversed - done : 0;
        vector head = vector_load(from + left - VECTOR_BYTES);

        head = reverse_last(head, index, full);
        vector_store(to + done,
                     vector_join(head, vector_load(from + done),
                                 left < VECTOR_BYTES ? left : VECTOR_BYTES));
    }
}

/* The first and the last sequence, before and after which nothing may be
 * accessed; and long ones. */
INLINE void copy_alone(const unsigned char *from, unsigned char *to,
                       size_t bytes, size_t reversed,
                       const struct reverse_index *index)
{
    copy_span(from, to, reversed, index);
    memcpy(to + reversed, from + reversed, bytes - reversed);
}

/* From this many bytes on, the end of the reversed part of a sequence costs
 * little. */
enum { LONG_SEQUENCE = 16 * VECTOR_BYTES };

static void reverse_copy_ragged(const unsigned char *from, unsigned char *to,
                                const struct ragged_rows *rows)
{
    const struct ragged_rows r = *rows;
    const struct reverse_index index = reverse_index_of_rows(r.size);
    size_t bytes = r.rows * r.size;
    bool alone = bytes < VECTOR_BYTES || bytes >= LONG_SEQUENCE;

    for (size_t i = 0; i < r.count; i++) {
        size_t reversed = (size_t)r.lens[i] * r.size;

        if (alone || i == 0 || i + 1 == r.count)
            copy_alone(from, to, bytes, reversed, &index);
        else if (index.bytes == VECTOR_BYTES)
            copy_between(from, to, bytes, reversed, &index, true);
        else
            copy_between(from, to, bytes, reversed, &index, false);
        from += bytes;
        to += bytes;
    }
}
