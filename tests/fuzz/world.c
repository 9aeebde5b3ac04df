#include "tests/fuzz/world.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/grpc/session.h"
#include "server/http/connection.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/machine.h"

enum {
    TICK_MS = 100,
    WAIT_TURNS = 12,
    LAST_WAIT = 100000 / TICK_MS, /* the longest deadline is 75 s */
    NARROW_BYTES = 4608,          /* the kernel's least */
};

static bool serves_health(const struct api_route *route)
{
    return strncmp(route->label, "/v2/health/", 11) == 0 ||
           strcmp(route->label, "/metrics") == 0;
}

static void ignore(void *context)
{
    (void)context;
}

static void start_loop(struct world *world)
{
    struct status st;

    atomic_store(world->profile.phase, SERVICE_RUNNING);
    EXPECT(loop_start(&world->loop, &world->service, &world->profile, 0, &st));
    world_turn(world);
}

static void make(struct world *world, enum world_kind kind)
{
    struct status st;

    world->kind = kind;
    world_load_options(kind, &world->options);
    log_init(&world->log, open("/dev/null", O_WRONLY | O_CLOEXEC),
             (enum log_level)world->options.log_level,
             world->options.log_format == OPTIONS_LOG_JSON);
    EXPECT(service_init(&world->service, &world->options, &world->log, &st));
    world->profile = (struct listener_profile){
        .protocol = &protocol_http,
        .limit = (size_t)world->options.max_connections,
        .counted = kind != WORLD_ADMIN,
        .serves = kind == WORLD_ADMIN ? serves_health : NULL,
        .not_served = "this is the admin port",
        .phase =
            kind == WORLD_ADMIN ? &world->admin_phase : &world->service.phase,
        .on_closed = ignore,
        .on_loop_done = ignore,
    };
    world->grpc = world->profile;
    world->grpc.protocol = &protocol_grpc;
    world->grpc.port = LOOP_GRPC;
    world->service.grpc = &world->grpc;
    start_loop(world);
    world->service.jobs.metrics[0] = &world->loop.context.metrics;
    world->service.jobs.metrics_count = 1;
}

static int lowest_fd(void)
{
    int fd = dup(STDERR_FILENO);

    close(fd);
    return fd;
}

struct world *world_get(enum world_kind kind)
{
    static struct world worlds[WORLD_KINDS];
    static bool made;

    if (!made) {
        signal(SIGPIPE, SIG_IGN);
        for (int i = 0; i < WORLD_KINDS; i++)
            make(&worlds[i], (enum world_kind)i);
        made = true;
    }
    worlds[kind].free_fd = lowest_fd();
    return &worlds[kind];
}

/* As the acceptor counts it. */
static bool count_client(struct world *world, const struct peer *peer)
{
    if (!world->profile.counted)
        return true;
    if (!address_limit_take(&world->service.address_limit, peer, 1))
        return false;
    atomic_fetch_add(&world->service.connections, 1);
    return true;
}

int world_connect(struct world *world, enum world_port port, bool narrow)
{
    struct arrival arrival = {.peer = {.address = {[15] = 1}, .port = 1},
                              .port =
                                  port == WORLD_GRPC ? LOOP_GRPC : LOOP_HTTP};
    int ends[2], bytes = NARROW_BYTES;

    if (!count_client(world, &arrival.peer))
        return -1;
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
                      ends) == 0);
    if (narrow)
        setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
    arrival.fd = ends[1];
    loop_hand_over(&world->loop, &arrival);
    return ends[0];
}

void world_turn(struct world *world)
{
    uv_run(&world->loop.uv, UV_RUN_NOWAIT);
}

bool world_work(struct world *world)
{
    struct workers *workers = &world->service.workers;

    return workers_run_one(workers, LANE_SHORT) ||
           workers_run_one(workers, LANE_MEDIUM) ||
           workers_run_one(workers, LANE_LONG);
}

/* At most WAIT_TURNS turns: a loop may be late. */
void world_wait(struct world *world, uint64_t ms)
{
    uint64_t longest = ms / WAIT_TURNS > TICK_MS ? ms / WAIT_TURNS : TICK_MS;

    for (uint64_t step; ms > 0; ms -= step) {
        step = ms < longest ? ms : longest;
        machine_advance_ms(step);
        world_turn(world);
    }
}

void world_set_phase(struct world *world, enum service_phase phase)
{
    if ((int)phase < atomic_load(world->profile.phase))
        return;
    atomic_store(world->profile.phase, (int)phase);
    loop_wake(&world->loop);
}

uint64_t world_request_count(const struct world *world)
{
    const struct metrics *metrics = &world->loop.context.metrics;
    uint64_t count = 0;

    for (int route = 0; route < METRICS_ROUTES; route++)
        for (int code = 0; code < METRICS_CODES; code++)
            count += atomic_load(&metrics->requests[route][code]);
    return count;
}

static bool has_stopped(const struct world *world)
{
    return atomic_load(world->profile.phase) >= SERVICE_STOPPING;
}

/* The loop may have stopped; world_reset() then ends its engine. A descriptor
 * of an earlier run may even have had a lower number than the lowest free one,
 * when libFuzzer had started a program that names functions in between. */
static bool is_drained(const struct world *world)
{
    return atomic_load(&world->loop.context.open) == 0 &&
           (has_stopped(world) || lowest_fd() <= world->free_fd);
}

static void expect_nothing(struct world *world)
{
    struct job_context *jobs = &world->service.jobs;

    shm_unregister(&jobs->shm, NULL);
    EXPECT(atomic_load(&world->service.connections) == 0);
    EXPECT(atomic_load(&jobs->budget.leased) == 0);
    EXPECT(!world_work(world));
    EXPECT(atomic_load(&jobs->shm.maps) == 0);
    EXPECT(atomic_load(&jobs->shm.bytes) == 0);
}

void world_drain(struct world *world)
{
    world_turn(world);
    for (int i = 0; !is_drained(world); i++) {
        EXPECT(i < LAST_WAIT);
        world_work(world);
        world_wait(world, TICK_MS);
    }
}

void world_reset(struct world *world)
{
    if (has_stopped(world)) {
        machine_run_thread(&world->loop.thread);
        loop_join(&world->loop);
        start_loop(world);
        EXPECT(lowest_fd() <= world->free_fd);
    }
    atomic_store(world->profile.phase, SERVICE_RUNNING);
    expect_nothing(world);
}
