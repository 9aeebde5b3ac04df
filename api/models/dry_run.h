/* Finds models that no request could use. */
#pragma once

#include "api/models/model.h"

/* Tries calls of the operator that match the model's fixed properties. Their
 * dims are 0, so that values do not matter. Fails with the operator's refusal
 * if it accepts none; *key is then the faulty field of a models file, or NULL.
 */
bool dry_run_model(const struct model *model, const char **key,
                   struct status *st);
