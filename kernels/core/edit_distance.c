#include "kernels/core/edit_distance.h"

#include <stdbool.h>

#include "kernels/core/size.h"

static bool are_swapped(const char *a, const char *b)
{
    return a[0] == b[-1] && a[-1] == b[0];
}

/* Row by row of the table of distances between the beginnings of both; three
 * rows are kept in turn. */
int edit_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t rows[3][EDIT_DISTANCE_LONGEST + 1];

    for (size_t j = 0; j <= b_len; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        const size_t *second = rows[(i + 1) % 3], *above = rows[(i + 2) % 3];
        size_t *row = rows[i % 3];

        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            size_t exchanged = above[j - 1] + (a[i - 1] != b[j - 1]);

            row[j] = size_min(exchanged, size_min(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && are_swapped(a + i - 1, b + j - 1))
                row[j] = size_min(row[j], second[j - 2] + 1);
        }
    }
    return (int)rows[a_len % 3][b_len];
}
