/* One case of each operator and each form of its axes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/tensor.h"

enum { FORM_CASES = 10, FORM_CONTROL_MOST = 8, FORM_MOST = 64 /* elements */ };

struct form_case {
    const char *model, *data, *control, *output;
    const char *parameters; /* in front of binary_data_output */
    const char *control_datatype;
    unsigned control_bytes; /* an entry */
    const char *control_data;
    int control_count;
    int64_t control_values[FORM_CONTROL_MOST];
    struct shape shape;
    int time, batch; /* batch < 0: `flips` counts */
    bool flips[3];
};
extern const struct form_case form_cases[FORM_CASES];

/* By the formula: the index in the input of each element of the input, or with
 * `moved` of the output. Returns their number. */
uint64_t form_case_order(const struct form_case *c, bool moved,
                         uint64_t *order);

/* The control input as bytes; returns their number. */
size_t form_case_control(const struct form_case *c, unsigned char *out);
