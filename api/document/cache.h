/* A cache of the last few documents that were read.
 *
 * Clients repeat names and shapes: except for the id and the data arrays most
 * requests equal an earlier one byte for byte. Such a request needs neither
 * the pre-scan nor jansson. One thread at a time; api.h declares how a cache is
 * made and freed. */
#pragma once

#include "api/api.h"
#include "api/document/document.h"
#include "api/prescan/walk.h"

/* The cached document whose bytes around its data arrays and its id are those
 * of `text`, or NULL. Sets the spans and the id of `instance`; the caller gets
 * a reference. */
struct document *document_cache_find(const struct document_cache *cache,
                                     const struct document_text *text,
                                     struct document_instance *instance);

/* Adds a document that was read from `text`, with a reference, in place of the
 * oldest one. A large document is not added. */
void document_cache_add(struct document_cache *cache,
                        const struct document_text *text,
                        const struct stripped_document *stripped,
                        const struct document_instance *instance,
                        struct document *doc);
