#include "server/process/housekeeping.h"

#include <malloc.h>
#include <signal.h>
#include <stdlib.h>

#include "server/config/host_limits.h"

enum {
    PERIOD_MS = 5000,
    KEEP_PERIODS = 6, /* that an unused buffer is kept */
    /* The heap is trimmed when so many bytes came or went since it was. */
    TRIM_BYTES = 8 << 20,
};

/* Bytes that are resident and not in use by the heap. */
static int64_t slack(void)
{
    return host_limits_resident() - (int64_t)mallinfo2().uordblks;
}

static bool reload_tls(struct service *service)
{
    bool ok = tls_reload(&service->tls, service->jobs.log);

    service_note_tls(service, ok);
    return ok;
}

static void on_timer(uv_timer_t *timer)
{
    struct housekeeping *housekeeping = timer->data;
    struct service *service = housekeeping->service;

    budget_trim(&service->jobs.budget, KEEP_PERIODS);
    /* The heap does not return free memory below memory in use, and each thread
     * has its own: without trimming, the process keeps the sum of what each
     * held at most, be it connections, calls or bodies. */
    if (llabs(slack() - housekeeping->slack) >= TRIM_BYTES) {
        malloc_trim(0);
        housekeeping->slack = slack();
    }
    if (tls_has_changed(&service->tls))
        reload_tls(service);
}

static void on_reload(uv_signal_t *handle, int signal)
{
    struct housekeeping *housekeeping = handle->data;
    struct service *service = housekeeping->service;
    struct served_models *models = &service->jobs.models;
    bool ok = true;

    (void)signal;
    systemd_reloading(housekeeping->manager);
    if (models->path || !service->tls.on) {
        served_models_reload(models, service->jobs.log);
        ok = !models->path || atomic_load(&models->reload.ok);
    }
    if (service->tls.on)
        ok = reload_tls(service) && ok;
    systemd_reloaded(housekeeping->manager, ok);
}

bool housekeeping_start(struct housekeeping *housekeeping, uv_loop_t *uv,
                        struct service *service, struct systemd *manager,
                        struct status *st)
{
    int error;

    *housekeeping = (struct housekeeping){
        .service = service, .manager = manager, .slack = slack()};
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
