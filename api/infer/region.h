/* Tensors in shared memory. The client may write to it at any time, so bytes
 * that must not change between two readings are copied first. */
#pragma once

#include "api/infer/state.h"

/* Finds the bytes of the tensor `name`. Fails with NOT_SUPPORTED where shared
 * memory is off, NOT_FOUND for an unknown region, INVALID past its end. */
bool region_find(const struct infer_regions *regions,
                 const struct document_region *region, const char *name,
                 unsigned char **bytes, struct status *st);

/* Finds the region that the document names for its output, if any. */
bool region_find_target(struct infer *infer, struct status *st);

/* Copies shared source data that is to be read as values or lengths. */
bool region_copy_source(struct infer *infer, struct status *st);

/* A copy for the caller to free; NULL with TOO_LARGE past 64 MiB, or NO_MEMORY.
 * `as` names the use in the error: "JSON". */
unsigned char *region_copy(const struct tensor *tensor, const char *as,
                           struct status *st);

/* True if source and target are different parts of shared memory that have
 * bytes in common. */
bool region_overlaps(const struct infer *infer);
