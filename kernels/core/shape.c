#include "kernels/core/shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Size of the longest text: 32 dims of 19 digits, each with ", ", and the
 * brackets. */
enum { SHAPE_TEXT_SIZE = SHAPE_MAX_RANK * 21 + 3 };

/* Copies as many whole dims as fit, then "...". */
static void copy_cut(const char *full, char *text, size_t size)
{
    size_t len = size > 4 ? size - 4 : 0;

    while (len > 0 && full[len - 1] != ' ' && full[len - 1] != '[')
        len--;
    snprintf(text, size, "%.*s...", (int)len, full);
}

char *shape_print(const struct shape *shape, char *text, size_t size)
{
    char full[SHAPE_TEXT_SIZE] = "[";
    size_t len = 1;

    for (int i = 0; i < shape->rank; i++)
        len += (size_t)snprintf(full + len, sizeof(full) - len, "%s%" PRId64,
                                i ? ", " : "", shape->dims[i]);
    full[len++] = ']';
    full[len] = '\0';
    if (len < size)
        memcpy(text, full, len + 1);
    else
        copy_cut(full, text, size);
    return text;
}

bool shape_count(const struct shape *shape, const char *name, uint64_t *count,
                 struct status *st)
{
    int64_t product = 1;
    bool fits = true;
    char text[128];

    for (int i = 0; i < shape->rank; i++) {
        if (shape->dims[i] == 0) {
            *count = 0;
            return true;
        }
        fits =
            fits && !__builtin_mul_overflow(product, shape->dims[i], &product);
    }
    if (!fits)
        return status_fail(st, STATUS_INVALID,
                           "%s has shape %s, which is 2^63 elements or more",
                           name, shape_print(shape, text, sizeof(text)));
    *count = (uint64_t)product;
    return true;
}
