/* Tensors in shared memory. What matters of them is read once: the client may
 * write to it while we look. */
#include <stdlib.h>
#include <string.h>

#include "api/infer/infer.h"

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
    if (!found.data)
        return status_fail(st, STATUS_INVALID,
                           "'%.64s' is in the shared memory region '%.64s', "
                           "which was cut short: register it again",
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

unsigned char *infer_copy_tensor(const struct tensor *tensor, const char *as,
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
    copy = malloc(tensor->bytes + 1);
    if (copy)
        memcpy(copy, tensor->data, tensor->bytes);
    else
        status_fail(st, STATUS_NO_MEMORY, "out of memory");
    return copy;
}

bool infer_copy_region(struct infer *infer, struct status *st)
{
    if (!infer->borrowed ||
        (infer->call.data.dtype != DTYPE_BYTES && !infer->to_text))
        return true;
    infer->copy = infer_copy_tensor(&infer->call.data,
                                    infer->to_text ? "JSON" : "BYTES", st);
    if (!infer->copy)
        return false;
    infer->bytes = infer->copy;
    infer->call.data.data = infer->copy;
    infer->borrowed = false;
    return true;
}

bool infer_overlaps(const struct infer *infer)
{
    const unsigned char *from = infer->bytes, *to = infer->target;
    size_t len = infer->call.data.bytes;

    return infer->borrowed && to && to != from && to < from + len &&
           from < to + len;
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
