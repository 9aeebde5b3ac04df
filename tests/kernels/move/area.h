/* Memory for a tensor at any alignment between two guards, filled with noise,
 * and what it must be after a move. */
#pragma once

#include "tests/kernels/naive.h"

struct area {
    unsigned char *memory; /* owned */
    unsigned char *data;   /* inside it */
    unsigned char *wanted; /* owned: what the whole area must be */
    size_t size;           /* of the area */
};

void area_init(struct area *area, uint64_t *state, size_t bytes);
void area_free(struct area *area);

/* What must be at area->data. */
unsigned char *area_wanted(const struct area *area);

/* From now on the data must be what the formula makes of `from`. */
void area_expect(struct area *area, const struct naive *n,
                 const struct element_format *f, const unsigned char *from);

/* Aborts the test where the area, guards included, is not what it must be. */
void area_check(const struct area *area, const char *mover,
                const struct naive *n, const struct element_format *f);
