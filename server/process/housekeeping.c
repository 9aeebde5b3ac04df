#include "server/process/housekeeping.h"

#include <malloc.h>
#include <signal.h>

enum {
    PERIOD_MS = 5000,
    KEEP_PERIODS = 6, /* that an unused buffer is kept */
    /* The heap is trimmed when this many connections of the peak are closed. */
    CLOSED_CONNECTIONS = 256,
};

/* libmicrohttpd allocates 32 KiB for each connection, and the heap does not
 * return free memory below memory in use: without trimming, the process keeps
 * its size after many connections have closed. */
static void trim_heap(struct service *service)
{
    size_t now = atomic_load(&service->connections);

    if (atomic_exchange(&service->wants_trim, false) ||
        now + CLOSED_CONNECTIONS <= atomic_load(&service->peak_connections)) {
        malloc_trim(0);
        atomic_store(&service->peak_connections, now);
    }
}

static bool reload_tls(struct service *service)
{
    bool ok = tls_reload(&service->tls, service->jobs.log);

    service_note_tls(service, ok);
    return ok;
}

static bool reload_models(struct service *service)
{
    struct served_models *models = &service->jobs.models;

    served_models_reload(models, service->jobs.log);
    return !models->path || atomic_load(&models->reload.ok);
}

static void on_timer(uv_timer_t *timer)
{
    struct housekeeping *housekeeping = timer->data;
    struct service *service = housekeeping->service;

    kept_buffers_trim(&service->jobs.buffer_pool.kept, KEEP_PERIODS);
    trim_heap(service);
    if (tls_has_changed(&service->tls))
        reload_tls(service);
}

static void on_reload(uv_signal_t *handle, int signal)
{
    struct housekeeping *housekeeping = handle->data;
    struct service *service = housekeeping->service;
    bool ok = true;

    (void)signal;
    supervision_reloading(housekeeping->supervision);
    if (service->jobs.models.path || !service->tls.on)
        ok = reload_models(service);
    if (service->tls.on)
        ok = reload_tls(service) && ok;
    supervision_reloaded(housekeeping->supervision, ok);
}

bool housekeeping_start(struct housekeeping *housekeeping, uv_loop_t *uv,
                        struct service *service,
                        struct supervision *supervision, struct status *st)
{
    int error;

    *housekeeping =
        (struct housekeeping){.service = service, .supervision = supervision};
    uv_timer_init(uv, &housekeeping->timer);
    housekeeping->timer.data = housekeeping;
    uv_timer_start(&housekeeping->timer, on_timer, PERIOD_MS, PERIOD_MS);
    error = uv_signal_init(uv, &housekeeping->reload);
    if (error != 0)
        return status_fail(st, STATUS_NO_MEMORY, "cannot wait for SIGHUP: %s",
                           uv_strerror(error));
    housekeeping->reload.data = housekeeping;
    uv_signal_start(&housekeeping->reload, on_reload, SIGHUP);
    return true;
}
