/* Ragged columns, row after row, in vectors of WIDTH bytes (32 or 64): the same
 * loops for each instruction set. A source file of a table defines WIDTH, then
 * includes this. For entries of 8 bytes or more.
 *
 * A table may replace copy_17_to_32() and find_partners(): it then defines both
 * and COLUMNS_HOOKS before it includes this (avx512/columns_hooks.h). */
#pragma once

#include "kernels/simd/column_args.h"
#include "kernels/simd/rows_template.h"

typedef uint64_t vector_8 __attribute__((aligned(1), may_alias));
typedef unsigned char vector_16
    __attribute__((vector_size(16), aligned(1), may_alias));
typedef unsigned char vector_32
    __attribute__((vector_size(32), aligned(1), may_alias));

/* Entries of one to two times a type's size: their first and last bytes, which
 * may overlap. */
#define DEFINE_ENDS(type)                                                      \
    INLINE void swap_ends_##type(unsigned char *a, unsigned char *b,           \
                                 size_t size)                                  \
    {                                                                          \
        size_t last = size - sizeof(type);                                     \
        type x = *(type *)a, x_last = *(type *)(a + last);                     \
        type y = *(type *)b, y_last = *(type *)(b + last);                     \
                                                                               \
        *(type *)a = y;                                                        \
        *(type *)(a + last) = y_last;                                          \
        *(type *)b = x;                                                        \
        *(type *)(b + last) = x_last;                                          \
    }                                                                          \
    INLINE void copy_ends_##type(const unsigned char *from, unsigned char *to, \
                                 size_t size)                                  \
    {                                                                          \
        size_t last = size - sizeof(type);                                     \
        type x = *(const type *)from, x_last = *(const type *)(from + last);   \
                                                                               \
        *(type *)to = x;                                                       \
        *(type *)(to + last) = x_last;                                         \
    }

DEFINE_ENDS(vector_8)
DEFINE_ENDS(vector_16)
DEFINE_ENDS(vector_32)

#ifndef COLUMNS_HOOKS
INLINE void copy_17_to_32(const unsigned char *from, unsigned char *to,
                          size_t size)
{
    copy_ends_vector_16(from, to, size);
}

/* Finds the columns of a segment whose row is in the first half of their
 * length. Writes the offset of each of these entries, counted from its row, and
 * of its partner, counted from row 0. Returns their number. */
INLINE size_t find_partners(const struct ragged_columns *columns,
                            const struct column_segment *s, size_t *offsets,
                            size_t *partners)
{
    const struct ragged_columns c = *columns; /* offsets cannot alias it */
    size_t found = 0;

    for (size_t i = s->first; i < s->first + s->count; i++) {
        size_t len = (size_t)c.lens[i];

        offsets[found] = i * c.size;
        partners[found] = (len - 1 - s->row) * c.from_step + i * c.size;
        found += s->row < len / 2;
    }
    return found;
}
#endif

/* Size classes of entries that are shorter than a vector; longer entries have
 * the size classes of rows. */
enum { CLASS_8_TO_15 = CLASS_LONG + 1, CLASS_16, CLASS_17_TO_32, CLASS_33_UP };

INLINE void swap_entry(unsigned char *a, unsigned char *b, size_t size,
                       size_t size_class)
{
    if (size_class == CLASS_8_TO_15)
        swap_ends_vector_8(a, b, size);
    else if (size_class == CLASS_16)
        small_swap_16(a, b);
    else if (size_class == CLASS_17_TO_32)
        swap_ends_vector_16(a, b, size);
    else if (size_class == CLASS_33_UP)
        swap_ends_vector_32(a, b, size);
    else
        swap_one(a, b, size, size_class);
}

INLINE void copy_entry(const unsigned char *from, unsigned char *to,
                       size_t size, size_t size_class)
{
    if (size_class == CLASS_8_TO_15)
        copy_ends_vector_8(from, to, size);
    else if (size_class == CLASS_16)
        small_copy_16(from, to);
    else if (size_class == CLASS_17_TO_32)
        copy_17_to_32(from, to, size);
    else if (size_class == CLASS_33_UP)
        copy_ends_vector_32(from, to, size);
    else
        copy_one(from, to, size, size_class);
}

/* Computes where the entries of a segment come from, counted from row 0. No
 * branch depends on a length. */
INLINE void find_offsets(const struct ragged_columns *columns,
                         const struct column_segment *s, size_t *offsets)
{
    const struct ragged_columns c = *columns; /* offsets cannot alias it */
    const struct column_segment part = *s;

    for (size_t i = 0; i < part.count; i++) {
        size_t len = (size_t)c.lens[part.first + i];

        offsets[i] =
            (part.row < len ? len - 1 - part.row : part.row) * c.from_step +
            (part.first + i) * c.size;
    }
}

/* The segment after `s`; its count is 0 after the last one. */
INLINE struct column_segment next_segment(const struct ragged_columns *c,
                                          const struct column_segment *s)
{
    struct column_segment next = {s->row, s->first + s->count, SEGMENT_COLUMNS};

    if (next.first == c->count) {
        next.first = 0;
        next.row++;
    }
    if (next.count > c->count - next.first)
        next.count = c->count - next.first;
    if (next.row == c->row + c->rows)
        next.count = 0;
    return next;
}

INLINE struct column_segment first_segment(const struct ragged_columns *c)
{
    struct column_segment none = {.row = c->row};

    return next_segment(c, &none);
}

/* The offsets of a segment are computed while the one before is copied: they
 * are stored many at a time, and a load of one of them right after that would
 * have to wait for the store. */
INLINE void copy_segments(const unsigned char *from, unsigned char *to,
                          const struct ragged_columns *columns,
                          size_t size_class)
{
    const struct ragged_columns c = *columns;
    struct column_segment s = first_segment(&c), next;
    size_t offsets[2][SEGMENT_COLUMNS], *now = offsets[0], *then = offsets[1];

    find_offsets(&c, &s, now);
    for (; s.count > 0; s = next) {
        unsigned char *entry =
            to + (s.row - c.row) * c.to_step + s.first * c.size;
        size_t *last = now;

        next = next_segment(&c, &s);
        find_offsets(&c, &next, then);
        for (size_t i = 0; i < s.count; i++, entry += c.size)
            copy_entry(from + now[i], entry, c.size, size_class);
        now = then;
        then = last;
    }
}

INLINE void swap_segments(unsigned char *data,
                          const struct ragged_columns *columns,
                          size_t size_class)
{
    const struct ragged_columns c = *columns;
    /* find_partners() of AVX-512 may write eight more. */
    size_t offsets[SEGMENT_COLUMNS + 8], partners[SEGMENT_COLUMNS + 8];

    for (struct column_segment s = first_segment(&c); s.count > 0;
         s = next_segment(&c, &s)) {
        unsigned char *entries = data + s.row * c.from_step;
        size_t found = find_partners(&c, &s, offsets, partners);

        for (size_t i = 0; i < found; i++)
            swap_entry(entries + offsets[i], data + partners[i], c.size,
                       size_class);
    }
}

/* As FOR_SIZE_CLASS(), for entries of 8 bytes or more. */
#define FOR_ENTRY_CLASS(size, CALL)                                            \
    if ((size) < 16) {                                                         \
        CALL(CLASS_8_TO_15);                                                   \
    } else if ((size) == 16) {                                                 \
        CALL(CLASS_16);                                                        \
    } else if ((size) <= 32) {                                                 \
        CALL(CLASS_17_TO_32);                                                  \
    } else if ((size) < WIDTH) {                                               \
        CALL(CLASS_33_UP);                                                     \
    } else {                                                                   \
        FOR_SIZE_CLASS(size, CALL)                                             \
    }

/* As column_kernels.swap() and copy(). */
INLINE void swap_columns(unsigned char *data, const struct ragged_columns *c){
#define CALL(size_class) swap_segments(data, c, size_class)
    FOR_ENTRY_CLASS(c->size, CALL)
#undef CALL
}

INLINE void copy_columns(const unsigned char *from, unsigned char *to,
                         const struct ragged_columns *c)
{
#define CALL(size_class) copy_segments(from, to, c, size_class)
    FOR_ENTRY_CLASS(c->size, CALL)
#undef CALL
}
