/* An acceptor whose loops do not run: the tests receive the arrivals and close
 * the connections. */
#pragma once

#include <check.h>

#include "server/net/acceptor.h"
#include "tests/count.h"

static struct service service;
static struct options options;
static struct log log_;
static struct acceptor acceptor;
static struct loop loops[3]; /* of which it uses the first or all */
static int wakes;
static uv_loop_t uv;

static void on_wake(uv_async_t *wake)
{
    wakes++;
}

static void open_at(const char *address, const struct listener_profile *profile)
{
    static struct metrics *metrics[1];
    struct status st;

    options.http_address = address;
    log_init(&log_, STDERR_FILENO, LOG_ERROR, false);
    service = (struct service){
        .jobs = {.log = &log_, .options = &options, .metrics = metrics}};
    atomic_store(&service.phase, SERVICE_RUNNING);
    uv_loop_init(&uv);
    ck_assert(acceptor_init(&acceptor, &service, profile, &uv));
    for (size_t i = 0; i < COUNT(loops); i++) {
        loops[i] = (struct loop){
            .context = {.service = &service, .profile = &acceptor.profile}};
        ck_assert(arrivals_init(&loops[i].arrivals, 100));
        uv_async_init(&uv, &loops[i].handles.wake, on_wake);
    }
    ck_assert_msg(acceptor_open(&acceptor, LISTEN_HTTP, -1, &st), "%s",
                  st.message);
    ck_assert(acceptor_start(&acceptor, loops, 1, &st));
}

static void tear_down(void)
{
    acceptor_abort(&acceptor);
    ck_assert(loop_close_uv(&uv));
    for (size_t i = 0; i < COUNT(loops); i++)
        arrivals_free(&loops[i].arrivals);
    address_limit_free(&service.address_limit);
}

/* The same as a loop does at the end of a connection. Any thread. */
static void close_connection(void)
{
    atomic_fetch_sub(&service.connections, 1);
    acceptor.profile.on_closed(acceptor.profile.on_closed_context);
}
