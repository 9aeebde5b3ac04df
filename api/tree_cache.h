/* The last few documents' trees, by thread.
 *
 * Clients ask with the same shapes again and again, and the skimmer has taken
 * the data away: what is left of most requests has been read before. Half of a
 * small request's time is jansson's, so a tree is kept for who sends the same
 * bytes next. A tree is never written to once it has been read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

struct json_skim;

/* The tree of exactly this skeleton and the heap it takes, or NULL. The caller
 * gets a reference. */
json_t *tree_cache_find(const struct json_skim *skim, size_t *bytes);

/* Keeps a reference to a tree that was read from this skeleton, in the place of
 * the one that was put longest ago. What is large, or what there is no memory
 * for, is not kept. */
void tree_cache_put(const struct json_skim *skim, json_t *tree, size_t bytes);

/* Frees what the calling thread keeps; its end does the same. */
void tree_cache_drop(void);
