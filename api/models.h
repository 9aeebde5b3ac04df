/* Which models there are, and what is said about them; private to api/. */
#pragma once

#include "api/api.h"
#include "kernels/op.h"

/* The model that a route names, percent escapes decoded. Fails with NOT_FOUND
 * for an unknown name or version; the text says which there are. */
const struct op *models_find(const char *path, const struct api_route *route,
                             struct status *st);

/* GET /v2 */
void models_server(struct api_reply *reply);

/* GET /v2/models */
void models_list(struct api_reply *reply);

/* GET /v2/models/{model} */
void models_metadata(const struct op *op, struct api_reply *reply);

/* GET /v2/models/{model}/ready */
void models_ready(const struct op *op, struct api_reply *reply);
