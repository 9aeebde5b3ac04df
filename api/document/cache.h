/* The last few documents that could be read, by thread.
 *
 * Clients ask with the same names and shapes again and again: but for an id and
 * what is in the arrays, most requests have been read before. Then neither the
 * skimmer nor jansson need look at one again. */
#pragma once

#include "api/document/document.h"

/* The document that `text` is, with what is its own, when a kept one has the
 * same bytes around its data arrays and its id; else NULL. The caller gets a
 * hold. */
struct document *document_cache_find(const char *text, size_t len,
                                     struct document_own *own);

/* Takes a hold of a document that was skimmed and read from `text`, and keeps
 * it in the place of the one that was put longest ago. What is large, or what
 * there is no memory for, is not kept. */
void document_cache_put(const char *text, size_t len,
                        const struct json_skim *skim,
                        const struct document_own *own, struct document *doc);

/* Drops what the calling thread keeps; its end does the same. */
void document_cache_drop(void);
