/* The infer route: chooses decoder and encoder by the request's headers, and
 * turns the encoded result into a reply. */
#pragma once

#include "api/api.h"

/* As api_prepare(), for a model. */
bool infer_route_prepare(const struct model *model,
                         const struct api_request *request,
                         struct api_plan *plan, struct api_reply *reply);

/* As api_execute(). */
void infer_route_execute(struct api_plan *plan, void *buffer,
                         const atomic_bool *cancel, struct api_reply *reply);
