/* Model metadata. The protocol has one datatype and shape for each tensor, and
 * the built-in models accept many: they report FP32 [-1,-1], and their
 * `properties` list what they really accept. */
#pragma once

#include "api/api.h"
#include "api/models/model.h"

/* GET /v2/models/{model} */
void metadata_answer(const struct model *model, struct api_reply *reply);
