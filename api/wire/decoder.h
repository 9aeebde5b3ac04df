/* A decoder turns the body of an infer request into an infer_request, zeroed
 * but for what it sets: the document, of which the caller gets a reference, the
 * body, and the start of the binary tensors. It fails with INVALID, TOO_LARGE
 * or NO_MEMORY, without a document. `op` is the model's. */
#pragma once

#include "api/api.h"
#include "api/infer/infer.h"
#include "kernels/ops/op.h"

/* A JSON document, and the binary tensors behind it. Need not know `op`. */
bool decode_json(const struct api_request *request, const struct op *op,
                 struct infer_request *decoded, struct status *st);

/* A .npy file, with all else in the URL's query. The result equals that of a
 * document with the same content; `op` names the inputs. */
bool decode_npy(const struct api_request *request, const struct op *op,
                struct infer_request *decoded, struct status *st);

/* The length of the document in the body of decode_json(): as the header
 * Inference-Header-Content-Length says, or the whole body. Fails with INVALID
 * when that header is no number from 1 to body_len. */
bool decode_json_length(const struct api_request *request, size_t *len,
                        struct status *st);
