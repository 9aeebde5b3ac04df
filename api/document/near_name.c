#include "api/document/near_name.h"

#include <ctype.h>
#include <string.h>

#include "kernels/core/edit_distance.h"

enum { NEAR = 2, SHORTEST = 4, LONGEST = EDIT_DISTANCE_LONGEST }; /* letters */

static const char *skip_others(const char *name)
{
    while (*name && !isalnum((unsigned char)*name))
        name++;
    return name;
}

bool alike_name(const char *name, const char *known)
{
    if (strnlen(name, LONGEST + 1) > LONGEST)
        return false;
    for (;;) {
        name = skip_others(name);
        known = skip_others(known);
        if (tolower((unsigned char)*name) != tolower((unsigned char)*known))
            return false;
        if (!*name)
            return true;
        name++;
        known++;
    }
}

bool near_name(const char *name, const char *known)
{
    size_t known_len = strlen(known), len = strnlen(name, LONGEST + NEAR + 1);

    if (len < SHORTEST || known_len < SHORTEST || known_len > LONGEST ||
        strcmp(name, known) == 0)
        return false;
    if (len > known_len + NEAR || known_len > len + NEAR)
        return alike_name(name, known);
    return alike_name(name, known) ||
           edit_distance(name, len, known, known_len) <= NEAR;
}
