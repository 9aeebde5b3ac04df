#include "server/shm/sigbus.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>

_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "set by a signal handler");

/* Without this model the first access in a thread may allocate memory, which a
 * signal handler must not. */
static _Thread_local const struct sigbus_regions *current
    __attribute__((tls_model("initial-exec")));
static struct sigaction previous; /* handler of SIGBUS before on_bus_error() */

/* The region that contains the address, of those that this thread uses. */
static struct shm_region *find_address(const void *address)
{
    const struct sigbus_regions *regions = current;
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

void sigbus_install(void)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO};

    action.sa_sigaction = on_bus_error;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &previous);
}

void sigbus_handle(const struct sigbus_regions *regions)
{
    current = regions;
}

void sigbus_add(struct sigbus_regions *regions, struct shm_region *region)
{
    regions->in_use[regions->count] = region;
    regions->count++;
    /* The handler runs in this thread: it must see the entry before the first
     * access to the map. */
    atomic_signal_fence(memory_order_seq_cst);
}
