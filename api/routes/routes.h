/* The replies of the routes, called by answer.c, and what they share. */
#pragma once

#include "api/api.h"
#include "api/base/writer.h"
#include "api/models/model.h"

/* Makes `reply` the finished text of a growing writer, and takes over its
 * memory. When the writer lacked memory: a 503 that says so. */
void reply_text(struct api_reply *reply, int status, struct writer *text);

/* Of the pages and the contract, by their routes; made by cmake/embed.py. */
extern const struct api_reply page_replies[];

/* GET /v2/models */
void models_list(const struct api_request *request, struct writer *w);

/* GET /v2/models/{model}/config, as Triton's clients expect it. */
void models_config(const struct model *model, struct writer *w);

/* POST /v2/repository/index. INVALID for a body that cannot be read. */
bool models_index(const struct api_request *request, struct writer *w,
                  struct status *st);

/* GET /v2/models/{model}. The protocol has one datatype and shape for each
 * tensor, and the built-in models accept many: they report FP32 [-1,-1], and
 * their `properties` list what they really accept. */
void models_metadata(const struct model *model, struct writer *w);
