#include "tests/bench/programs/move_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/move/move.h"
#include "kernels/ops/permutation.h"
#include "tests/bench/programs/timing.h"

enum { MEMCPY, SWAP, COPY, KINDS };

/* A round moves at least ROUND_BYTES. */
enum { ROUND_BYTES = 8 << 20, LARGE = 32 << 20, ROUNDS = 21, LARGE_ROUNDS = 7 };

struct class
{
    const char *name;
    double goal;
    double worst[KINDS];
    char where[KINDS][40];
};

static struct class classes[MOVE_CLASSES] = {
    [MOVE_ROWS_LONG] = {.name = "rows >= 256 bytes", .goal = 0.90},
    [MOVE_ROWS_SHORT] = {.name = "rows of 16 to 255 bytes", .goal = 0.70},
    [MOVE_ROWS_LONG_TIME] = {.name = "rows >= 256 bytes, time-major lens",
                             .goal = 0.90},
    [MOVE_ROWS_SHORT_TIME] = {.name =
                                  "rows of 16 to 255 bytes, time-major lens",
                              .goal = 0.70},
    [MOVE_INNER] = {.name = "innermost flip", .goal = 0.50},
    [MOVE_INNER_TINY] = {.name = "tiny innermost flip"},
    [MOVE_INNER_PACKED] = {.name = "packed innermost flip", .goal = 0.20},
    [MOVE_TIME_4] = {.name = "time-major lens, 4 bytes, >= 16 MiB",
                     .goal = 0.35},
    [MOVE_TIME] = {.name = "time-major lens, others", .goal = 0.18},
};

/* The memory and the permutation of a case. */
struct run {
    const struct permutation *permutation;
    struct element_format format;
    size_t bytes;
    unsigned char *from, *to, *scratch;
};

static void once(const struct run *r, int kind)
{
    if (kind == MEMCPY)
        memcpy(r->to, r->from, r->bytes);
    else if (kind == SWAP)
        move_swap(r->permutation, r->format, r->from, r->scratch, NULL);
    else
        move_copy(r->permutation, r->format, r->from, r->to, r->scratch, NULL);
}

/* Seconds of one run: medians of rounds, each of which measures every kind. */
static void measure(const struct run *r, double seconds[KINDS])
{
    size_t runs = ROUND_BYTES / r->bytes + 1;
    int rounds = r->bytes > LARGE ? LARGE_ROUNDS : ROUNDS;
    double times[KINDS][ROUNDS];

    for (int round = 0; round < rounds; round++) {
        for (int kind = 0; kind < KINDS; kind++) {
            double start = timing_now();

            for (size_t i = 0; i < runs; i++)
                once(r, kind);
            times[kind][round] = (timing_now() - start) / (double)runs;
        }
    }
    for (int kind = 0; kind < KINDS; kind++)
        seconds[kind] = timing_median(times[kind], rounds);
}

static void report(const struct move_case *c, size_t bytes,
                   const double *seconds)
{
    struct class *class = &classes[c->class];
    char what[40];

    snprintf(what, sizeof(what), "[%lld,%lld,%lld,%lld] %u bit%s",
             (long long)c->outer, (long long)c->time, (long long)c->inner,
             (long long)c->row, c->bits, c->lens ? " lens" : "");
    printf("%-36s %9.3f MiB  memcpy %6.2f GB/s  swap %5.2f  copy %5.2f\n", what,
           (double)bytes / (1 << 20), (double)bytes / seconds[MEMCPY] / 1e9,
           seconds[MEMCPY] / seconds[SWAP], seconds[MEMCPY] / seconds[COPY]);
    fflush(stdout);
    for (int kind = SWAP; kind < KINDS; kind++) {
        double ratio = seconds[MEMCPY] / seconds[kind];

        if (class->worst[kind] == 0 || ratio < class->worst[kind]) {
            class->worst[kind] = ratio;
            memcpy(class->where[kind], what, sizeof(what));
        }
    }
}

static int64_t *random_lens(int64_t batch, int64_t time)
{
    int64_t *lens = malloc((size_t)batch * sizeof(*lens));
    uint32_t state = 7;

    for (int64_t i = 0; lens && i < batch; i++) {
        state = state * 1664525u + 1013904223u;
        lens[i] = (int64_t)((uint64_t)state * (uint64_t)(time + 1) >> 32);
    }
    return lens;
}

void move_case_run(const struct move_case *c, const char *only,
                   unsigned char *from, unsigned char *to)
{
    struct shape shape = {4, {c->outer, c->time, c->inner, c->row}};
    uint64_t bits =
        (uint64_t)(c->outer * c->time * c->inner * c->row) * c->bits;
    size_t bytes = (size_t)(bits / 8);
    struct permutation p;
    double seconds[KINDS];
    int batch = c->inner > 1 ? 2 : 0;
    struct run run = {&p, {.bits = c->bits}, bytes, from, to, NULL};

    if (strncmp(classes[c->class].name, only, strlen(only)) != 0)
        return;
    permutation_init(&p, &shape, false);
    if (c->lens)
        permutation_flip_lens(&p, 1, batch,
                              random_lens(shape.dims[batch], c->time));
    else
        permutation_flip(&p, 1);
    permutation_collapse(&p);
    run.scratch = malloc(move_scratch(&p, run.format));
    measure(&run, seconds);
    report(c, bytes, seconds);
    free(run.scratch);
    permutation_free(&p);
}

void move_case_summary(void)
{
    printf("\nworst of each class (of memcpy; goal)\n");
    for (int i = 0; i < MOVE_CLASSES; i++) {
        const struct class *c = &classes[i];

        if (c->worst[SWAP] > 0)
            printf("%-42s goal %.2f  swap %5.2f %-32s copy %5.2f %s\n", c->name,
                   c->goal, c->worst[SWAP], c->where[SWAP], c->worst[COPY],
                   c->where[COPY]);
    }
}
