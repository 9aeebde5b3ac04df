#include "kernels/core/edit_distance.h"

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Row by row of the table of distances between the beginnings of both. */
int edit_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    int row[EDIT_DISTANCE_LONGEST + 1];

    for (size_t j = 0; j <= b_len; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= a_len; i++) {
        int diagonal = row[0];

        row[0] = (int)i;
        for (size_t j = 1; j <= b_len; j++) {
            int exchanged = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            row[j] = least(exchanged, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[b_len];
}
