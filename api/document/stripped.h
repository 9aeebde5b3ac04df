/* The second half of the skimmer: the document without its data arrays. */
#pragma once

#include "api/document/prescan.h"

/* Allocates and writes the skeleton of `text` up to skim->end with the cuts
 * that were found, and sets their places. Fails with NO_MEMORY. */
bool json_skeleton_build(const char *text, struct json_skim *skim,
                         struct status *st);
