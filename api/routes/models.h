/* Which models there are, and what is said about them; private to api/. */
#pragma once

#include "api/api.h"
#include "api/models/model.h"

/* The model that a route names, percent escapes decoded. Fails with NOT_FOUND
 * for an unknown name or version; the text says which there are. */
const struct model *models_find(const struct model_set *set, const char *path,
                                const struct api_route *route,
                                struct status *st);

/* Whether the model takes this data: it may fix datatype and shape. The
 * refusal, INVALID, names both sides. */
bool models_take(const struct model *model, const struct tensor *data,
                 struct status *st);

/* GET /v2; whether shared memory is enabled is for the caller to know. */
void models_server(bool shared_memory, struct api_reply *reply);

/* GET /v2/models */
void models_list(const struct model_set *set, struct api_reply *reply);

/* GET /v2/models/{model} */
void models_metadata(const struct model *model, struct api_reply *reply);

/* GET /v2/models/{model}/config */
void models_config(const struct model *model, struct api_reply *reply);

/* POST /v2/repository/index */
void models_index(const struct model_set *set,
                  const struct api_request *request, struct api_reply *reply);

/* POST /v2/repository/models/{model}/load and /unload */
void models_load(struct api_reply *reply);

/* GET /v2/models/{model}/ready */
void models_ready(const struct model *model, struct api_reply *reply);
