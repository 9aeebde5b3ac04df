/* Elements of every datatype with their JSON and binary forms, written by hand:
 * the reference for the conversions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kernels/core/dtype.h"

/* Whether the datatype has a JSON form. */
bool elements_have_text(enum dtype dtype);

enum { ELEMENT_TEXT = 64 }; /* bytes */

/* Element `index` of an endless list that repeats in no simple pattern. */
struct element {
    char text[ELEMENT_TEXT];  /* as a client may write it; "-": no JSON form */
    char shown[ELEMENT_TEXT]; /* as it is printed from its bytes */
    unsigned char bytes[24];  /* packed types: as first element of a byte */
    size_t size;
};
struct element element_at(enum dtype dtype, uint64_t index);

/* A tensor of `count` elements, element i being number order[i] of the list,
 * as the binary form. Returns its size; `out` has room for 24 bytes an
 * element. Padding bits are 0. */
size_t elements_pack(enum dtype dtype, const uint64_t *order, uint64_t count,
                     unsigned char *out);

/* The same as the inside of a JSON array. */
void elements_print(FILE *out, enum dtype dtype, const uint64_t *order,
                    uint64_t count, bool shown);

/* The same as a JSON array; free() it. */
char *elements_text(enum dtype dtype, const uint64_t *order, uint64_t count,
                    bool shown);
