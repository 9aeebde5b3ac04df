#include <stdlib.h>
#include <string.h>

#include "api/infer/state.h"

/* Bytes that are copied before they are read as values. Data that is only moved
 * has no such limit. */
enum { MOST_COPIED = 64 << 20 };

bool region_find(const struct api_regions *regions,
                 const struct document_region *region, const char *name,
                 struct api_region *found, struct status *st)
{
    if (!regions)
        return status_fail(st, STATUS_NOT_SUPPORTED,
                           "'%.64s' is in shared memory, which is not enabled "
                           "on this server (--allow-client-shm)",
                           name);
    if (!regions->find(regions->context, region->name, found))
        return status_fail(st, STATUS_NOT_FOUND,
                           "'%.64s' is in the shared memory region '%.64s', "
                           "which is not registered",
                           name, region->name);
    if (!found->data)
        return status_fail(st, STATUS_INVALID,
                           "'%.64s' is in the shared memory region '%.64s', "
                           "which was cut short: register it again",
                           name, region->name);
    if (region->offset > found->size ||
        region->bytes > found->size - region->offset)
        return status_fail(st, STATUS_INVALID,
                           "'%.64s' is in bytes %llu to %llu of the shared "
                           "memory region '%.64s', which has %zu",
                           name, (unsigned long long)region->offset,
                           (unsigned long long)region->offset +
                               (unsigned long long)region->bytes,
                           region->name, found->size);
    found->data += region->offset;
    return true;
}

unsigned char *region_copy(const struct infer *infer,
                           const struct tensor *tensor, const char *as,
                           struct status *st)
{
    unsigned char *copy = NULL;

    if (tensor->bytes > MOST_COPIED) {
        status_fail(st, STATUS_TOO_LARGE,
                    "'%.64s' has %zu bytes in shared memory, but as %s at most "
                    "%d are read from there",
                    tensor->name, tensor->bytes, as, MOST_COPIED);
        return NULL;
    }
    if (api_heap_take(infer->request.heap, tensor->bytes))
        copy = malloc(tensor->bytes + 1);
    if (copy)
        memcpy(copy, tensor->data, tensor->bytes);
    else
        status_fail(st, STATUS_NO_MEMORY, "out of memory");
    return copy;
}

bool region_copy_source(struct infer *infer, struct status *st)
{
    struct infer_source *source = &infer->source;
    bool text = infer->target.form == DOCUMENT_FORM_JSON;

    if (!source->is_read_only ||
        (infer->call.data.dtype != DTYPE_BYTES && !text))
        return true;
    source->copy =
        region_copy(infer, &infer->call.data, text ? "JSON" : "BYTES", st);
    if (!source->copy)
        return false;
    source->bytes = source->copy;
    infer->call.data.data = source->copy;
    source->is_read_only = false;
    return true;
}

bool region_overlaps(const struct infer *infer)
{
    const unsigned char *from = infer->source.bytes;
    const unsigned char *to = infer->target.region;
    size_t len = infer->call.data.bytes;

    return infer->source.is_read_only && to && to != from &&
           (infer->target.is_aliased || (to < from + len && from < to + len));
}

bool region_holds(const struct infer_target *target, size_t bytes,
                  struct status *st)
{
    return bytes <= target->region_size ||
           status_fail(st, STATUS_INVALID,
                       "'%.64s' takes %zu bytes, but shared_memory_byte_size "
                       "is %zu",
                       target->name, bytes, target->region_size);
}

/* The size of BYTES read from JSON is only known once they are written: execute
 * checks it. */
static bool check_target(const struct infer *infer, struct status *st)
{
    const struct infer_target *target = &infer->target;
    enum dtype dtype = infer->call.data.dtype;
    size_t bytes = infer->call.data.bytes;

    if (dtype == DTYPE_BYTES && infer->source.is_text)
        return true;
    return (dtype == DTYPE_BYTES || tensor_bytes(dtype, infer->source.count,
                                                 target->name, &bytes, st)) &&
           region_holds(target, bytes, st);
}

bool region_find_target(struct infer *infer, struct status *st)
{
    const struct document *doc = infer->request.doc;
    const struct document_region *region = &doc->outputs[0].region;
    struct infer_target *target = &infer->target;
    struct api_region found;

    if (doc->output_count == 0 || !region->name)
        return true;
    target->form = DOCUMENT_FORM_REGION;
    target->region_size = (size_t)region->bytes;
    if (!region_find(infer->request.regions, region, target->name, &found, st))
        return false;
    target->region = found.data;
    target->is_aliased = found.is_aliased;
    return check_target(infer, st);
}
