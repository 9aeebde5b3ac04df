/* Columns side by side, row after row: the same loops for each instruction
 * set. After move_wide.h; private to the files that include that. */
#pragma once

#include "kernels/simd/rows.h"

/* Entries whose places are found before the first of them is moved. */
enum { TILE_COLUMNS = 64 };

typedef uint64_t tile_8 __attribute__((aligned(1), may_alias));
typedef unsigned char tile_16
    __attribute__((vector_size(16), aligned(1), may_alias));
typedef unsigned char tile_32
    __attribute__((vector_size(32), aligned(1), may_alias));

/* An entry of a type's size to twice that: both ends, which may overlap. */
#define TILE_ENDS(type)                                                        \
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

TILE_ENDS(tile_8)
TILE_ENDS(tile_16)
#if WIDTH > 32
TILE_ENDS(tile_32)
#endif

#if WIDTH > 32
#include "kernels/simd/avx512/columns_hooks.h"
#else
/* An entry of 17 to 32 bytes. */
INLINE void copy_sixteens(const unsigned char *from, unsigned char *to,
                          size_t size)
{
    copy_ends_tile_16(from, to, size);
}

/* The columns that are long enough for the row to be in their first half, and
 * where they have the mirrored entry. */
INLINE size_t find_mirrors(const struct move_tile *tile, size_t row,
                           size_t first, size_t count, size_t *places,
                           size_t *mirrors)
{
    const struct move_tile t = *tile;
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        size_t len = (size_t)t.lens[first + i];

        places[found] = (first + i) * t.size;
        mirrors[found] = (len - 1 - row) * t.from_step + (first + i) * t.size;
        found += row < len / 2;
    }
    return found;
}
#endif

/* How entries of less than two vectors are moved; the others in their way. */
enum { EIGHTS = LONG + 1, UNIT, SIXTEENS, HALVES };

INLINE void swap_entry(unsigned char *a, unsigned char *b, size_t size,
                       size_t way)
{
    if (way == EIGHTS)
        swap_ends_tile_8(a, b, size);
    else if (way == UNIT)
        move_unit_swap_block(a, b);
    else if (way == SIXTEENS)
        swap_ends_tile_16(a, b, size);
#if WIDTH > 32
    else if (way == HALVES)
        swap_ends_tile_32(a, b, size);
#endif
    else
        swap_one(a, b, size, way);
}

INLINE void copy_entry(const unsigned char *from, unsigned char *to,
                       size_t size, size_t way)
{
    if (way == EIGHTS)
        copy_ends_tile_8(from, to, size);
    else if (way == UNIT)
        move_unit_copy_block(from, to);
    else if (way == SIXTEENS)
        copy_sixteens(from, to, size);
#if WIDTH > 32
    else if (way == HALVES)
        copy_ends_tile_32(from, to, size);
#endif
    else
        copy_one(from, to, size, way);
}

/* Where the entries of a row are found. No branch depends on a length. */
INLINE void find_places(const struct move_tile *tile, size_t row, size_t first,
                        size_t count, size_t *places)
{
    const struct move_tile t = *tile; /* no alias of the places */

    for (size_t i = 0; i < count; i++) {
        size_t len = (size_t)t.lens[first + i];

        places[i] = (row < len ? len - 1 - row : row) * t.from_step +
                    (first + i) * t.size;
    }
}

/* Columns of a row whose places are found at a time. */
struct part {
    size_t row, first, count;
};

/* Ends with no columns. */
INLINE struct part next_part(const struct move_tile *t, const struct part *p)
{
    struct part next = {p->row, p->first + p->count, TILE_COLUMNS};

    if (next.first == t->count) {
        next.first = 0;
        next.row++;
    }
    if (next.count > t->count - next.first)
        next.count = t->count - next.first;
    if (next.row == t->row + t->rows)
        next.count = 0;
    return next;
}

/* The places of a part are found while the one before is moved: they are stored
 * many at a time, and a load of one would have to wait for that. */
INLINE void copy_tile(const unsigned char *from, unsigned char *to,
                      const struct move_tile *tile, size_t way)
{
    const struct move_tile t = *tile;
    struct part part = {.row = t.row}, next;
    size_t places[2][TILE_COLUMNS], *now = places[0], *then = places[1];

    part = next_part(&t, &part);
    find_places(&t, part.row, part.first, part.count, now);
    for (; part.count > 0; part = next) {
        unsigned char *entry =
            to + (part.row - t.row) * t.to_step + part.first * t.size;
        size_t *last = now;

        next = next_part(&t, &part);
        find_places(&t, next.row, next.first, next.count, then);
        for (size_t i = 0; i < part.count; i++, entry += t.size)
            copy_entry(from + now[i], entry, t.size, way);
        now = then;
        then = last;
    }
}

INLINE void swap_tile(unsigned char *data, const struct move_tile *tile,
                      size_t way)
{
    const struct move_tile t = *tile;
    size_t places[TILE_COLUMNS + 8], mirrors[TILE_COLUMNS + 8], count;

    for (size_t row = t.row; row < t.row + t.rows; row++) {
        unsigned char *entries = data + row * t.from_step;

        for (size_t first = 0; first < t.count; first += count) {
            size_t left = t.count - first, found;

            count = left < TILE_COLUMNS ? left : TILE_COLUMNS;
            found = find_mirrors(&t, row, first, count, places, mirrors);
            for (size_t i = 0; i < found; i++)
                swap_entry(entries + places[i], data + mirrors[i], t.size, way);
        }
    }
}

/* Calls ALL(way), as IN_EACH_WAY() does, for entries of 8 bytes or more. */
#define IN_EACH_TILE_WAY(size, ALL)                                            \
    if ((size) < 16) {                                                         \
        ALL(EIGHTS);                                                           \
    } else if ((size) == 16) {                                                 \
        ALL(UNIT);                                                             \
    } else if ((size) <= 32) {                                                 \
        ALL(SIXTEENS);                                                         \
    } else if ((size) < WIDTH) {                                               \
        ALL(HALVES);                                                           \
    } else {                                                                   \
        IN_EACH_WAY(size, ALL)                                                 \
    }

INLINE void swap_columns(unsigned char *data, const struct move_tile *tile){
#define ALL(way) swap_tile(data, tile, way)
    IN_EACH_TILE_WAY(tile->size, ALL)
#undef ALL
}

INLINE void copy_columns(const unsigned char *from, unsigned char *to,
                         const struct move_tile *tile)
{
#define ALL(way) copy_tile(from, to, tile, way)
    IN_EACH_TILE_WAY(tile->size, ALL)
#undef ALL
}
