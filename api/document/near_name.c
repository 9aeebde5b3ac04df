#include "api/document/near_name.h"

#include <string.h>

enum { NEAR = 2, SHORTEST = 4, LONGEST = 63 }; /* letters */

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Levenshtein's distance, row by row. `b` has at most LONGEST letters. */
static int distance(const char *a, int a_len, const char *b, int b_len)
{
    int row[LONGEST + 1];

    for (int j = 0; j <= b_len; j++)
        row[j] = j;
    for (int i = 1; i <= a_len; i++) {
        int diagonal = row[0];

        row[0] = i;
        for (int j = 1; j <= b_len; j++) {
            int exchanged = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            row[j] = least(exchanged, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[b_len];
}

bool near_name(const char *name, const char *known)
{
    size_t known_len = strlen(known), len = strnlen(name, LONGEST + NEAR + 1);

    if (len < SHORTEST || known_len < SHORTEST || known_len > LONGEST ||
        len > known_len + NEAR || known_len > len + NEAR ||
        strcmp(name, known) == 0)
        return false;
    return distance(name, (int)len, known, (int)known_len) <= NEAR;
}
