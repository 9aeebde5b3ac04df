/* The cases of a vector file. Tensor data is kept as the JSON text that the
 * file has: 64-bit integers past 2^63 and the digits of floats stay exact. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernels/core/tensor.h"

struct vector_text { /* a span of the file; NULL text for null */
    const char *text;
    size_t len;
};

struct vector {
    char id[64];
    char op[64]; /* the model's name */
    char mode[16];
    bool backward;
    enum dtype dtype;
    struct shape shape;
    struct vector_text data;   /* or grad_output */
    struct vector_text expect; /* no text: an error is expected */
    char data_hex[512];        /* instead of data and expect */
    char expect_hex[512];
    struct vector_text control; /* lengths or axes */
    enum dtype control_dtype;
    struct shape control_shape;
    struct vector_text batch_axis; /* no text: the model's default */
    struct vector_text time_axis;
    struct vector_text lda_coeff;
};

struct vector_file {
    char *text; /* owned */
    int count;
    struct vector *vectors; /* owned */
};

/* Reads a whole file; exits with a message when it is not as described in
 * tests/vectors/README.md. */
void vector_file_read(const char *path, struct vector_file *file);

void vector_file_free(struct vector_file *file);
