/* Finds models that no request could use. */
#pragma once

#include "api/models/model.h"

/* Shows the model's operator calls that fit the properties which the model
 * fixes, until one is accepted. Their dims are 0, so that values do not matter.
 * Fails with the operator's refusal; *key is then the field of a models file
 * that is at fault, or NULL. */
bool dry_run_model(const struct model *model, const char **key,
                   struct status *st);
