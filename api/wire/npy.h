/* The header of a .npy file: versions 1 to 3, as numpy.load() reads them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernels/core/tensor.h"

struct npy_header {
    enum dtype dtype;
    struct shape shape;
    bool big_endian;   /* elements that can be moved, but not computed here */
    bool column_major; /* Fortran order; false where it is the other one too */
    size_t size;       /* bytes of the header; the data follow it */
};

enum { NPY_HEADER_MOST = 1024 }; /* bytes that are written, at most */

/* Reads the header of a file of `len` bytes. INVALID names the malformed part,
 * or the unsupported element type and what to do about it. */
bool npy_header_read(const unsigned char *file, size_t len,
                     struct npy_header *npy, struct status *st);

/* Writes the header as numpy.save() does, and returns its length. The datatype
 * is one that npy_header_read() knows; `size` is not read. */
size_t npy_header_write(const struct npy_header *npy, char *out);
