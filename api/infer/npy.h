/* The header of a .npy file: versions 1 to 3, as NumPy writes it; private to
 * api/. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernels/core/tensor.h"

struct npy {
    enum dtype dtype;
    struct shape shape;
    bool swapped; /* big-endian elements: they move, but are no values here */
    size_t size;  /* bytes of the header, which the data follow */
};

/* Reads the header of `len` bytes of file. Fails with INVALID, naming what is
 * malformed, or the element type or order that is not taken and what to do. */
bool npy_read(const unsigned char *file, size_t len, struct npy *npy,
              struct status *st);
