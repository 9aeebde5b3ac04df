/* The periodic work of the process, and the signal that reads files again.
 *
 * Every five seconds: frees buffers that were not used for 30 s, returns unused
 * heap to the system, and reads certificates that have changed. SIGHUP reads
 * the models file and the certificates. Main thread only. */
#pragma once

#include <uv.h>

#include "server/conn/service.h"
#include "server/process/systemd.h"

struct housekeeping {
    struct service *service; /* borrowed, as the next */
    struct systemd *manager; /* hears of SIGHUP */
    uv_timer_t timer;
    uv_signal_t reload;
    int64_t slack; /* when the heap was trimmed last */
};

/* Runs until the handles of `uv` are closed. Fails with NO_MEMORY. */
bool housekeeping_start(struct housekeeping *housekeeping, uv_loop_t *uv,
                        struct service *service, struct systemd *manager,
                        struct status *st);
