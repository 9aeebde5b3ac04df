/* Tensors in shared memory. What matters of them is read once: the client may
 * write to it while we look. */
#include <stdlib.h>
#include <string.h>

#include "api/infer.h"

/* Bytes that are copied before they are read as values. What is only moved has
 * no such limit. */
enum { MOST_COPIED = 64 << 20 };

bool infer_find_region(const struct api_request *request,
                       const struct document_region *region, const char *name,
                       unsigned char **place, struct status *st)
{
    const struct api_regions *regions = request->regions;
    struct api_region found;

    if (!regions)
        return status_fail(st, STATUS_NOT_SUPPORTED,
                           "'%.64s' is in shared memory, which is not enabled "
                           "on this server (--allow-client-shm)",
                           name);
    if (!regions->find(regions->context, region->name, &found))
        return status_fail(st, STATUS_NOT_FOUND,
                           "'%.64s' is in the shared memory region '%.64s', "
                           "which is not registered",
                           name, region->name);
    if (region->offset > found.size ||
        region->bytes > found.size - region->offset)
        return status_fail(st, STATUS_INVALID,
                           "'%.64s' is in bytes %llu to %llu of the shared "
                           "memory region '%.64s', which has %zu",
                           name, (unsigned long long)region->offset,
                           (unsigned long long)region->offset +
                               (unsigned long long)region->bytes,
                           region->name, found.size);
    *place = found.data + region->offset;
    return true;
}

bool infer_copy_region(struct infer *infer, struct status *st)
{
    size_t bytes = infer->call.data.bytes;

    if (!infer->borrowed ||
        (infer->call.data.dtype != DTYPE_BYTES && !infer->to_text))
        return true;
    if (bytes > MOST_COPIED)
        return status_fail(st, STATUS_TOO_LARGE,
                           "'%s' has %zu bytes in shared memory, but as %s at "
                           "most %d are read from there",
                           infer->call.data.name, bytes,
                           infer->to_text ? "JSON" : "BYTES", MOST_COPIED);
    infer->copy = malloc(bytes + 1);
    if (!infer->copy)
        return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    memcpy(infer->copy, infer->bytes, bytes);
    infer->bytes = infer->copy;
    infer->call.data.data = infer->copy;
    infer->borrowed = false;
    return true;
}

/* Bytes of the result; of BYTES it is known when they are written. */
static bool check_target(const struct infer *infer,
                         const struct document_region *region,
                         struct status *st)
{
    size_t bytes = infer->call.data.bytes;

    if (infer->call.data.dtype == DTYPE_BYTES && infer->from_text)
        return true;
    if (infer->call.data.dtype != DTYPE_BYTES &&
        !tensor_bytes(infer->call.data.dtype, infer->count, infer->output_name,
                      &bytes, st))
        return false;
    return bytes <= region->bytes ||
           status_fail(st, STATUS_INVALID,
                       "'%.64s' takes %zu bytes, but shared_memory_byte_size "
                       "is %llu",
                       infer->output_name, bytes,
                       (unsigned long long)region->bytes);
}

bool infer_target(struct infer *infer, const struct api_request *request,
                  struct status *st)
{
    const struct document_region *region = &infer->doc->outputs[0].region;

    if (infer->doc->output_count == 0 || !region->name)
        return true;
    infer->to_text = false;
    infer->target_size = (size_t)region->bytes;
    return infer_find_region(request, region, infer->output_name,
                             &infer->target, st) &&
           check_target(infer, region, st);
}
