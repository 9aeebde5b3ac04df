/* Sets of models from files that tests write; ' stands for ". */
#pragma once

#include "api/models/model.h"

/* As api_models_read(). */
struct model_set *model_case_read(const char *text,
                                  const struct model_set *previous,
                                  struct status *st);
