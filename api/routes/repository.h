/* The model configuration and the model repository, as Triton's clients expect
 * them. The repository here is fixed. */
#pragma once

#include "api/api.h"
#include "api/models/model_set.h"

/* GET /v2/models/{model}/config */
void repository_config(const struct model *model, struct api_reply *reply);

/* POST /v2/repository/index */
void repository_index(const struct model_set *set,
                      const struct api_request *request,
                      struct api_reply *reply);

/* POST /v2/repository/models/{model}/load and /unload: refused with 501. */
void repository_load(struct api_reply *reply);
