/* The header of a .npy file: versions 1 to 3, as NumPy writes them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernels/core/tensor.h"

struct npy_header {
    enum dtype dtype;
    struct shape shape;
    bool big_endian; /* elements that can be moved, but not computed here */
    size_t size;     /* bytes of the header; the data follow it */
};

/* Reads the header of a file of `len` bytes. INVALID names the malformed part,
 * or the unsupported element type or order and what to do about it. */
bool npy_header_read(const unsigned char *file, size_t len,
                     struct npy_header *npy, struct status *st);
