/* Decodes the JSON document of an infer request, and the binary tensors behind
 * it. */
#pragma once

#include "api/api.h"
#include "api/infer/request.h"
#include "kernels/ops/op.h"

/* Sets document, body and binary_start of `decoded`, which is zeroed otherwise;
 * the caller gets the document's reference. Fails with INVALID, TOO_LARGE or
 * NO_MEMORY, without a document. `op` is the model's, which JSON need not know.
 */
bool decode_json(const struct api_request *request, const struct op *op,
                 struct infer_request *decoded, struct status *st);
