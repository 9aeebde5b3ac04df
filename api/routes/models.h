/* The models of a request, and the plain replies about them. */
#pragma once

#include "api/api.h"
#include "api/models/model.h"
#include "api/models/model_set.h"

/* The request's models: its own set, or the built-in one. */
const struct model_set *models_of(const struct api_request *request);

/* The model that a route names, percent escapes decoded. NULL with NOT_FOUND
 * for an unknown name or version; the text names the route that lists them. */
const struct model *models_find(const struct model_set *set, const char *path,
                                const struct api_route *route,
                                struct status *st);

/* GET /v2; `shared_memory` tells whether that extension is enabled. */
void models_server(bool shared_memory, struct api_reply *reply);

/* GET /v2/models */
void models_list(const struct model_set *set, struct api_reply *reply);

/* GET /v2/models/{model}/ready */
void models_ready(const struct model *model, struct api_reply *reply);
