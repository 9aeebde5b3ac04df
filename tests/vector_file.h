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
    enum dtype dtype;
    struct shape shape;
    struct vector_text data;
    struct vector_text expect; /* no text: an error is expected */
    char data_hex[512];        /* instead of data and expect */
    char expect_hex[512];
    struct vector_text control; /* lengths or axes */
    enum dtype control_dtype;
    struct shape control_shape;
    struct vector_text parameters; /* an object */
    char refusal[256];             /* what the error's text has; or "" */
    bool everywhere; /* asked with every datatype, and in shared memory */
};

/* A model as its source defines it. */
struct vector_model {
    char name[64], version[16], data[32], control[32], output[32];
    bool scales;
    struct vector_text parameters; /* an object of the defaults, or null */
};

struct vector_file { /* or several, as one */
    int count, models_count, texts_count;
    struct vector *vectors;      /* owned */
    struct vector_model *models; /* owned */
    char **texts; /* owned, as each: the others point into them */
};

/* Reads all files of tests/vectors/; exits with a message where one is not as
 * described in tests/vectors/README.md. */
void vector_file_read(struct vector_file *file);

void vector_file_free(struct vector_file *file);
