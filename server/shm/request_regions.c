#include "server/shm/request_regions.h"

#include "api/api.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>

_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "set by a signal handler");

/* Without this model the first access in a thread may allocate memory, which a
 * signal handler must not. */
static _Thread_local const struct request_regions *current
    __attribute__((tls_model("initial-exec")));
static struct sigaction previous; /* handler of SIGBUS before on_bus_error() */

/* The region that contains the address, of those that this thread uses. */
static struct shm_region *find_address(const void *address)
{
    const struct request_regions *regions = current;
    uintptr_t at = (uintptr_t)address;

    for (int i = 0; regions && i < regions->count; i++) {
        const struct shm_map *map = &regions->in_use[i]->map;

        if (at - (uintptr_t)map->start < map->len)
            return regions->in_use[i];
    }
    return NULL;
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    int error = errno;
    struct shm_region *region =
        info->si_code == BUS_ADRERR ? find_address(info->si_addr) : NULL;

    (void)context;
    if (region)
        atomic_store(&region->lost, true);
    if (!region || !shm_map_replace(&region->map)) {
        sigaction(SIGBUS, &previous, NULL);
        /* A fault repeats by itself; a signal sent by kill() does not. */
        if (info->si_code <= 0)
            raise(number);
    }
    errno = error;
}

void request_regions_install_handler(void)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO};

    action.sa_sigaction = on_bus_error;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &previous);
}

/* Each registration has a map of its own. */
static bool has_common_bytes(const struct shm_region *a,
                             const struct shm_region *b)
{
    return a != b && a->map.device == b->map.device &&
           a->map.inode == b->map.inode &&
           a->part.offset < b->part.offset + b->part.bytes &&
           b->part.offset < a->part.offset + a->part.bytes;
}

static bool is_aliased(const struct request_regions *regions,
                       const struct shm_region *region)
{
    for (int i = 0; i < regions->count; i++)
        if (has_common_bytes(regions->in_use[i], region))
            return true;
    return false;
}

static bool find(void *context, const char *name, struct api_region *found)
{
    struct request_regions *regions = context;
    struct shm_region *region = NULL;

    if (regions->count < API_MAX_FINDS)
        region = shm_ref(regions->shm, name);
    if (!region)
        return false;
    *found = (struct api_region){.size = (size_t)region->part.bytes};
    if (atomic_load(&region->lost)) {
        shm_unref(regions->shm, region);
        return true;
    }
    found->data = region->map.data;
    found->is_aliased = is_aliased(regions, region);
    regions->in_use[regions->count] = region;
    regions->count++;
    /* The handler runs in this thread: it must see the entry before the first
     * access to the map. */
    atomic_signal_fence(memory_order_seq_cst);
    return true;
}

const struct api_regions *request_regions_begin(struct request_regions *regions,
                                                struct shm *shm)
{
    regions->shm = shm->enabled ? shm : NULL;
    if (!regions->shm)
        return NULL;
    regions->finder = (struct api_regions){find, regions};
    regions->count = 0;
    current = regions;
    return &regions->finder;
}

void request_regions_pause(const struct request_regions *regions)
{
    if (regions->shm)
        current = NULL;
}

void request_regions_resume(struct request_regions *regions)
{
    if (regions->shm)
        current = regions;
}

bool request_regions_end(struct request_regions *regions, struct status *st)
{
    bool ok = true;

    if (!regions->shm)
        return true;
    current = NULL;
    for (int i = 0; i < regions->count; i++) {
        struct shm_region *region = regions->in_use[i];

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
