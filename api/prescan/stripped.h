/* A stripped document: an infer document in which a number stands for each data
 * array, so that jansson parses only the small rest. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernels/core/status.h"

enum { STRIPPED_MAX_SPANS = 64 };

/* A value of the document, in bytes. */
struct data_span {
    size_t start; /* offset of its first byte in the document */
    size_t len;
    size_t mark; /* offset of its number in the stripped document */
};

struct stripped_document {
    char *text; /* owned; NUL-terminated */
    size_t len;
    size_t end; /* of the document: offset behind its last bracket */
    int span_count;
    struct data_span spans[STRIPPED_MAX_SPANS]; /* the data arrays */
    /* The request's id with its quotes, which stays in the stripped document;
     * `len` 0 when there is no such string. */
    struct data_span id;
};

/* Allocates and writes the stripped text of the document `text`, out of the
 * spans that are set and `end`; sets their marks. Fails with NO_MEMORY. */
bool stripped_build(const char *text, struct stripped_document *stripped,
                    struct status *st);

/* Offset in the document of byte `position` of the stripped document. */
size_t stripped_origin(const struct stripped_document *stripped,
                       size_t position);

/* Frees the text; a zeroed document may be freed. */
void stripped_free(struct stripped_document *stripped);
