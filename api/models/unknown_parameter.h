/* Keys of a request's `parameters` that neither the protocol nor the model
 * knows. */
#pragma once

#include "api/document/document.h"
#include "api/models/model.h"

/* True for a key of the client's own, which is ignored. INVALID, with the known
 * ones, for a key that was meant to change the answer: triton_*, an attribute
 * of another operator, a near miss of a known name, and every key in a URL. */
bool unknown_parameter_pass(const struct model *model,
                            const struct document_parameter *p,
                            struct status *st);
