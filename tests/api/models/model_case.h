/* Sets of models from files that tests write; ' stands for ". */
#pragma once

#include "api/models/models_file.h"

/* As models_file_read(). */
struct model_set *model_case_read(const char *text,
                                  const struct model_set *previous,
                                  struct status *st);
