#include "api/document/near_name.h"

#include <string.h>

#include "kernels/core/edit_distance.h"

enum { NEAR = 2, SHORTEST = 4, LONGEST = EDIT_DISTANCE_LONGEST }; /* letters */

bool near_name(const char *name, const char *known)
{
    size_t known_len = strlen(known), len = strnlen(name, LONGEST + NEAR + 1);

    if (len < SHORTEST || known_len < SHORTEST || known_len > LONGEST ||
        len > known_len + NEAR || known_len > len + NEAR ||
        strcmp(name, known) == 0)
        return false;
    return edit_distance(name, len, known, known_len) <= NEAR;
}
