/* A request's `parameters`: the operator's attributes and the protocol's own
 * settings. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "api/document/document.h"
#include "api/models/model.h"
#include "kernels/ops/op.h"

struct request_parameters {
    const struct op *op;                              /* of the model */
    struct attribute_value values[OP_MAX_ATTRIBUTES]; /* as op->attributes */
    bool binary_output;  /* unless the output itself says its form */
    uint64_t timeout_us; /* from the request's arrival; 0 = none */
};

/* Reads all parameters of a document, and ignores keys of the client's own.
 * INVALID names the key that is of the wrong type, fixed by the model, given
 * twice, by name and alias, or unknown but not to be ignored (triton_*, another
 * operator's attribute, a near miss of a known name); the known ones are then
 * listed. Text values are borrowed from the document. */
bool request_parameters_read(const struct model *model,
                             const struct document *doc,
                             struct request_parameters *settings,
                             struct status *st);

/* Reads one attribute of the operator into its element of `values`. Fails as
 * request_parameters_read(). */
bool request_parameters_read_attribute(const struct op *op,
                                       const struct document_parameter *p,
                                       struct attribute_value *values,
                                       struct status *st);

/* The value with this role, or NULL when the operator has none. */
const struct attribute_value *
request_parameters_role(const struct request_parameters *settings,
                        enum attribute_role role);
