/* Decodes an infer request without a document: the body is a .npy file, all
 * else is in the URL's query. The result equals that of a document with the
 * same content. */
#pragma once

#include "api/api.h"
#include "api/infer/request.h"
#include "kernels/ops/op.h"

/* As decode_json(). `op` names the inputs. */
bool decode_npy(const struct api_request *request, const struct op *op,
                struct infer_request *decoded, struct status *st);
