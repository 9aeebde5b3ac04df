/* The vectors that are asked with every datatype, in every form and in shared
 * memory. Their data is 0, 1, 2 ..., so their answer is the order of the
 * elements. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/tensor.h"

enum { FORM_CONTROL_MOST = 8, FORM_MOST = 64 /* elements */ };

struct form_case {
    const char *model, *data, *control, *output;
    char parameters[128]; /* in front of binary_data_output */
    const char *control_datatype;
    unsigned control_bytes; /* an entry */
    char control_data[64];
    int control_count;
    int64_t control_values[FORM_CONTROL_MOST];
    struct shape shape;
    int count;
    uint64_t order[FORM_MOST];
};
extern struct form_case form_cases[];

/* Reads the cases and returns their number. */
int form_cases_read(void);

/* The index in the input of each element of the input, or with `moved` of the
 * output. Returns their number. */
uint64_t form_case_order(const struct form_case *c, bool moved,
                         uint64_t *order);

/* The control input as bytes; returns their number. */
size_t form_case_control(const struct form_case *c, unsigned char *out);
