#include "server/shm/request_regions.h"

static bool find(void *context, const char *name, struct api_region *found)
{
    struct request_regions *regions = context;
    struct shm_region *region = NULL;

    if (regions->used.count < API_MAX_FINDS)
        region = shm_ref(regions->shm, name);
    if (!region)
        return false;
    *found = (struct api_region){.size = (size_t)region->part.bytes};
    if (atomic_load(&region->lost)) {
        shm_unref(regions->shm, region);
        return true;
    }
    found->data = region->map.data;
    sigbus_add(&regions->used, region);
    return true;
}

const struct api_regions *request_regions_begin(struct request_regions *regions,
                                                struct shm *shm)
{
    regions->shm = shm->enabled ? shm : NULL;
    if (!regions->shm)
        return NULL;
    regions->finder = (struct api_regions){find, regions};
    regions->used.count = 0;
    sigbus_handle(&regions->used);
    return &regions->finder;
}

bool request_regions_end(struct request_regions *regions, struct status *st)
{
    bool ok = true;

    if (!regions->shm)
        return true;
    sigbus_handle(NULL);
    for (int i = 0; i < regions->used.count; i++) {
        struct shm_region *region = regions->used.in_use[i];

        if (atomic_load(&region->lost))
            ok = status_fail(st, STATUS_INVALID,
                             "the shared memory region '%.64s' was cut short "
                             "or ran out of memory while it was used: register "
                             "it again",
                             region->part.name);
        shm_unref(regions->shm, region);
    }
    return ok;
}

bool request_regions_may_be_large(const struct shm *shm,
                                  const struct api_request *request,
                                  size_t limit)
{
    if (!shm->enabled || atomic_load(&shm->bytes) <= limit)
        return false;
    return !request || api_may_use_shm(request);
}
