/* .npy files for tests. */
#pragma once

#include <stddef.h>

/* The end of a header: an array of 2 x 3. */
#define NPY_REST "'fortran_order': False, 'shape': (2, 3), }"

/* A file of version 1 to 3 with this header and `data` bytes of zeros, in a
 * block of just its size. The caller frees. */
unsigned char *npy_file(int version, const char *header, size_t data,
                        size_t *len);
