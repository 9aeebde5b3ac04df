/* The byte order that reverses rows in a vector. Included after a vector
 * header. */
#pragma once

/* For rows of `size` bytes, in planes of whole rows. Plus `end`, `base` is the
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
#else
__extension__ typedef unsigned __int128 vector_number;

INLINE vector reverse_all(vector v, const struct reverse_index *index)
{
    return vector_reverse(v, index->base, index->size);
}

INLINE vector reverse_rows(vector v, const struct reverse_index *index,
                           size_t end)
{
    return (vector)((vector_number)reverse_all(v, index) >>
                    8 * (VECTOR_BYTES - end));
}

INLINE vector reverse_planes(vector v, const struct reverse_index *index)
{
    v = reverse_all(v, index);
    return index->plane == VECTOR_BYTES
               ? v
               : vector_reverse(v, index->base, index->plane);
}
#endif
