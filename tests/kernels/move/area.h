/* Memory for a tensor at any alignment between two guards, filled with noise,
 * and its expected content after a move. */
#pragma once

#include "tests/kernels/naive.h"

struct area {
    unsigned char *memory; /* owned */
    unsigned char *data;   /* inside it */
    unsigned char *wanted; /* owned: expected content of the whole area */
    size_t size;           /* of the area */
};

void area_init(struct area *area, uint64_t *state, size_t bytes);
void area_free(struct area *area);

/* The expected content of area->data. */
unsigned char *area_wanted(const struct area *area);

/* Expects from now on the result of the formula for `from`. */
void area_expect(struct area *area, const struct naive *n,
                 const struct element_format *f, const unsigned char *from);

/* Aborts the test if the area, guards included, is not as expected. */
void area_check(const struct area *area, const char *mover,
                const struct naive *n, const struct element_format *f);
