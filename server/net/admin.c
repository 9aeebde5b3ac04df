#include "server/net/admin.h"

#include <stdio.h>
#include <string.h>

enum { STOP_MS = 200 }; /* for replies that are still being sent */

bool admin_open(struct admin *admin, const struct options *options,
                struct status *st)
{
    admin->on = options->admin_port != 0;
    if (!admin->on)
        return true;
    if (!listen_parse_admin(options, &admin->address, st))
        return false;
    admin->fd = listen_open(&admin->address, st);
    return admin->fd >= 0;
}

static void announce(const struct admin *admin, struct log *log)
{
    char address[LISTEN_TEXT_SIZE], text[LISTEN_TEXT_SIZE + 16];

    listen_text(&admin->acceptor.address, address);
    snprintf(text, sizeof(text), "admin port at %s", address);
    log_message(log, LOG_INFO, text);
}

static bool serves(const struct api_route *route)
{
    return strncmp(route->label, "/v2/health/", 11) == 0 ||
           strcmp(route->label, "/metrics") == 0;
}

static void init_profile(struct admin *admin)
{
    admin->profile = (struct listener_profile){
        .limit = ADMIN_CONNECTIONS,
        .serves = serves,
        .not_served = "this is the admin port: /v2/health/live, "
                      "/v2/health/ready and /metrics are all there is",
        .phase = &admin->phase,
        .on_closed = acceptor_on_closed,
        .on_closed_context = &admin->acceptor,
    };
}

static void init_acceptor(struct admin *admin, struct service *service,
                          uv_loop_t *uv)
{
    struct acceptor *acceptor = &admin->acceptor;

    acceptor_init(acceptor, uv);
    acceptor->address = admin->address;
    acceptor->fd = admin->fd;
    acceptor->service = service;
    acceptor->profile = &admin->profile;
    acceptor->loops = &admin->loop;
    acceptor->loop_count = 1;
}

static void add_metrics(struct admin *admin, struct job_context *jobs)
{
    jobs->metrics[jobs->metrics_count++] = &admin->loop.context.metrics;
    jobs->metrics[jobs->metrics_count++] = &admin->acceptor.metrics;
}

bool admin_start(struct admin *admin, struct loop_setup setup, uv_loop_t *uv,
                 struct status *st)
{
    if (!admin->on)
        return true;
    uv_timer_init(uv, &admin->timer);
    admin->timer.data = admin;
    init_profile(admin);
    init_acceptor(admin, setup.service, uv);
    add_metrics(admin, &setup.service->jobs);
    setup.profile = &admin->profile;
    if (!loop_start(&admin->loop, &setup, st))
        return false;
    acceptor_start(&admin->acceptor);
    announce(admin, setup.service->jobs.log);
    return true;
}

static void enter(struct admin *admin, enum service_phase phase)
{
    atomic_store(&admin->phase, phase);
    loop_wake(&admin->loop);
}

static void on_timer(uv_timer_t *timer)
{
    enter(timer->data, SERVICE_ABORTING);
}

void admin_stop(struct admin *admin)
{
    acceptor_close(&admin->acceptor);
    enter(admin, SERVICE_STOPPING);
    uv_timer_start(&admin->timer, on_timer, STOP_MS, 0);
}

void admin_join(struct admin *admin)
{
    if (admin->on)
        loop_join(&admin->loop);
}
