/* Arguments of the transpose kernel: a matrix of small elements. */
#pragma once

#include <stddef.h>

struct transpose {
    size_t size;          /* bytes of an element: 1, 2, 4 or 8 */
    size_t rows, columns; /* of the source; each >= 16 / size */
    size_t from_step;     /* bytes from one row of the source to the next */
    size_t to_step;       /* bytes from one row of the target to the next */
};
