#include "server/shm/use.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "a handler sets a mark");

/* Without this model the first use in a thread may allocate. */
static _Thread_local struct shm_use *current
    __attribute__((tls_model("initial-exec")));
static struct sigaction before;

/* The calling thread's region at this address. */
static struct shm_region *find_address(const void *address)
{
    const struct shm_use *use = current;
    uintptr_t at = (uintptr_t)address;

    for (int i = 0; use && i < use->count; i++) {
        const struct shm_map *map = &use->held[i]->map;

        if (at - (uintptr_t)map->start < map->len)
            return use->held[i];
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
        sigaction(SIGBUS, &before, NULL);
        /* A fault comes again by itself, what somebody sent does not. */
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
    sigaction(SIGBUS, &action, &before);
}

static void keep(struct shm_use *use, struct shm_region *region)
{
    use->held[use->count] = region;
    use->count++;
    /* The handler, in this thread, sees it before the first fault. */
    atomic_signal_fence(memory_order_seq_cst);
}

static bool find(void *context, const char *name, struct api_region *found)
{
    struct shm_use *use = context;
    struct shm_region *region = NULL;

    if (use->count < API_MAX_FINDS)
        region = shm_hold(use->shm, name);
    if (!region)
        return false;
    *found = (struct api_region){.size = (size_t)region->as.bytes};
    if (atomic_load(&region->lost)) {
        shm_drop(use->shm, region);
        return true;
    }
    found->data = region->map.data;
    keep(use, region);
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
        if (atomic_load(&use->held[i]->lost))
            ok = status_fail(st, STATUS_INVALID,
                             "the shared memory region '%.64s' was cut short "
                             "or ran out of memory while it was used: register "
                             "it again",
                             use->held[i]->as.name);
        shm_drop(use->shm, use->held[i]);
    }
    return ok;
}

bool shm_use_is_large(const struct shm *shm, const unsigned char *body,
                      size_t len, const char *json_len, size_t limit)
{
    static const char wanted[] = "shared_memory_region";
    size_t json = json_len ? strtoull(json_len, NULL, 10) : len;

    if (!shm->enabled || atomic_load(&shm->bytes) <= limit)
        return false;
    json = json < len ? json : len;
    /* A key may be written with escapes. */
    return json > 0 && (!body || memchr(body, '\\', json) ||
                        memmem(body, json, wanted, sizeof(wanted) - 1));
}
