#include "server/shm/use.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "set by a signal handler");

/* Without this model the first access in a thread may allocate memory, which a
 * signal handler must not. */
static _Thread_local struct shm_use *current
    __attribute__((tls_model("initial-exec")));
static struct sigaction previous; /* handler of SIGBUS before on_bus_error() */

/* The region that contains the address, of those that this thread uses. */
static struct shm_region *find_address(const void *address)
{
    const struct shm_use *use = current;
    uintptr_t at = (uintptr_t)address;

    for (int i = 0; use && i < use->count; i++) {
        const struct shm_map *map = &use->in_use[i]->map;

        if (at - (uintptr_t)map->start < map->len)
            return use->in_use[i];
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

void shm_use_install(void)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO};

    action.sa_sigaction = on_bus_error;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &previous);
}

static void add(struct shm_use *use, struct shm_region *region)
{
    use->in_use[use->count] = region;
    use->count++;
    /* The handler runs in this thread: it must see the entry before the first
     * access to the map. */
    atomic_signal_fence(memory_order_seq_cst);
}

static bool find(void *context, const char *name, struct api_region *found)
{
    struct shm_use *use = context;
    struct shm_region *region = NULL;

    if (use->count < API_MAX_FINDS)
        region = shm_ref(use->shm, name);
    if (!region)
        return false;
    *found = (struct api_region){.size = (size_t)region->part.bytes};
    if (atomic_load(&region->lost)) {
        shm_unref(use->shm, region);
        return true;
    }
    found->data = region->map.data;
    add(use, region);
    return true;
}

const struct api_regions *shm_use_begin(struct shm_use *use, struct shm *shm)
{
    use->shm = shm->enabled ? shm : NULL;
    if (!use->shm)
        return NULL;
    use->regions = (struct api_regions){find, use};
    use->count = 0;
    current = use;
    return &use->regions;
}

bool shm_use_end(struct shm_use *use, struct status *st)
{
    bool ok = true;

    if (!use->shm)
        return true;
    current = NULL;
    for (int i = 0; i < use->count; i++) {
        if (atomic_load(&use->in_use[i]->lost))
            ok = status_fail(st, STATUS_INVALID,
                             "the shared memory region '%.64s' was cut short "
                             "or ran out of memory while it was used: register "
                             "it again",
                             use->in_use[i]->part.name);
        shm_unref(use->shm, use->in_use[i]);
    }
    return ok;
}

bool shm_use_is_large(const struct shm *shm, const struct api_request *request,
                      size_t limit)
{
    if (!shm->enabled || atomic_load(&shm->bytes) <= limit)
        return false;
    return !request || api_may_use_shm(request);
}
