/* Runs the simulation: episodes from start to the end of the drain, until so
 * many events have happened. A failure names the event; the same seed repeats
 * it.
 *
 * Usage: simulate [EVENTS [SEED]]   default: 300,000, by a fixed seed and by a
 * random one */
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "tests/simulation/world.h"

enum { EVENTS = 300000, FIXED_SEED = 12 };

static void simulate(uint64_t events, uint64_t seed)
{
    struct world *world = calloc(1, sizeof(*world));
    uint64_t episodes = 0;

    if (!world)
        exit(2);
    printf("seed %llu: ", (unsigned long long)seed);
    fflush(stdout);
    world->random = seed;
    while (world->events < events) {
        world_start(world);
        while (world_step(world))
            continue;
        episodes++;
    }
    printf("%llu events, %llu drains, %llu requests: %llu 200, %llu 503, "
           "%llu 504, %llu 413, %llu 408, %llu gone\n",
           (unsigned long long)world->events, (unsigned long long)episodes,
           (unsigned long long)world->requests,
           (unsigned long long)world->answered[OK_200],
           (unsigned long long)world->answered[REFUSED_503],
           (unsigned long long)world->answered[LATE_504],
           (unsigned long long)world->answered[TOO_LARGE_413],
           (unsigned long long)world->answered[SLOW_408],
           (unsigned long long)world->answered[GONE]);
    free(world);
}

int main(int argc, char **argv)
{
    uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : EVENTS;
    uint64_t seed = FIXED_SEED;

    if (argc > 2) {
        simulate(events, strtoull(argv[2], NULL, 10));
        return 0;
    }
    simulate(events, seed);
    if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
        return 2;
    simulate(events, seed);
    return 0;
}
