/* The swap and copy movers beside memcpy of the same bytes, in turn, best of
 * many rounds, one thread. Prints a line for each case, then the worst of each
 * class beside what issue 3 asks for.
 *
 * bench_move [MOST_MIB [CLASS_PREFIX]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/move_copy.h"
#include "kernels/move_swap.h"
#include "kernels/movement.h"

enum { MEMCPY, SWAP, COPY, KINDS };

struct class
{
    const char *name;
    double goal;
    double worst[KINDS];
    char where[KINDS][40];
};

enum { ROWS_LONG, ROWS_SHORT, INNER, INNER_TINY, INNER_PACKED, TIME_4, TIME };

static struct class classes[] = {
    [ROWS_LONG] = {.name = "rows >= 256 bytes", .goal = 0.90},
    [ROWS_SHORT] = {.name = "rows of 16 to 255 bytes", .goal = 0.70},
    [INNER] = {.name = "innermost flip", .goal = 0.50},
    [INNER_TINY] = {.name = "tiny innermost flip"},
    [INNER_PACKED] = {.name = "packed innermost flip"},
    [TIME_4] = {.name = "time-major lens, 4 bytes, >= 16 MiB", .goal = 0.60},
    [TIME] = {.name = "time-major lens, others", .goal = 0.35},
};

enum { CLASSES = sizeof(classes) / sizeof(*classes) };

/* [outer, time, inner, row], lengths or a flip of time. */
struct layout {
    int class;
    int64_t outer, time, inner, row;
    unsigned bits;
    bool lens;
};

static unsigned char *from, *to;
static size_t most = (size_t)256 << 20;
static const char *only = "";

static double now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void once(const struct movement *m, unsigned bits, size_t bytes,
                 int kind)
{
    if (kind == MEMCPY)
        memcpy(to, from, bytes);
    else if (kind == SWAP)
        move_swap(m, bits, false, from, NULL);
    else
        move_copy(m, bits, false, from, to, NULL);
}

/* Best seconds of one run; a round takes a millisecond or one run. */
static void measure(const struct movement *m, unsigned bits, size_t bytes,
                    double best[KINDS])
{
    size_t runs = ((size_t)8 << 20) / bytes + 1;
    int rounds = bytes > (size_t)32 << 20 ? 5 : 15;

    for (int kind = 0; kind < KINDS; kind++)
        best[kind] = 1e9;
    for (int round = 0; round < rounds; round++) {
        for (int kind = 0; kind < KINDS; kind++) {
            double start = now();

            for (size_t i = 0; i < runs; i++)
                once(m, bits, bytes, kind);
            start = (now() - start) / (double)runs;
            best[kind] = start < best[kind] ? start : best[kind];
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

static void report(const struct layout *l, size_t bytes, const double *best)
{
    struct class *class = &classes[l->class];
    char what[40];

    snprintf(what, sizeof(what), "[%lld,%lld,%lld,%lld] %u bit%s",
             (long long)l->outer, (long long)l->time, (long long)l->inner,
             (long long)l->row, l->bits, l->lens ? " lens" : "");
    printf("%-36s %9.3f MiB  memcpy %6.2f GB/s  swap %5.2f  copy %5.2f\n", what,
           (double)bytes / (1 << 20), (double)bytes / best[MEMCPY] / 1e9,
           best[MEMCPY] / best[SWAP], best[MEMCPY] / best[COPY]);
    fflush(stdout);
    for (int kind = SWAP; kind < KINDS; kind++) {
        double ratio = best[MEMCPY] / best[kind];

        if (class->worst[kind] == 0 || ratio < class->worst[kind]) {
            class->worst[kind] = ratio;
            memcpy(class->where[kind], what, sizeof(what));
        }
    }
}

static void run(const struct layout *l)
{
    struct shape shape = {4, {l->outer, l->time, l->inner, l->row}};
    uint64_t bits =
        (uint64_t)(l->outer * l->time * l->inner * l->row) * l->bits;
    size_t bytes = (size_t)(bits / 8);
    struct movement m;
    double best[KINDS];
    int batch = l->inner > 1 ? 2 : 0;

    if (bytes > most ||
        strncmp(classes[l->class].name, only, strlen(only)) != 0)
        return;
    movement_init(&m, &shape);
    if (l->lens)
        movement_flip_lens(&m, 1, batch,
                           random_lens(shape.dims[batch], l->time));
    else
        movement_flip(&m, 1);
    movement_collapse(&m);
    measure(&m, l->bits, bytes, best);
    report(l, bytes, best);
    movement_free(&m);
}

/* Batch-major and time-major, flips and lengths; time = 4 x batch. */
static void run_rows(size_t bytes, int64_t row_bytes)
{
    struct layout l = {.class = row_bytes < 256 ? ROWS_SHORT : ROWS_LONG,
                       .row = row_bytes / 4,
                       .bits = 32};
    int64_t rows = (int64_t)bytes / row_bytes, batch = 1;

    while (batch * batch * 4 <= rows)
        batch *= 2;
    for (int form = 0; form < 4; form++) {
        l.outer = form & 1 ? 1 : batch;
        l.inner = form & 1 ? batch : 1;
        l.time = rows / batch;
        l.lens = form & 2;
        /* A time-major flip has longer rows: measured as such. */
        if (form != 1 || row_bytes >= 256)
            run(&l);
    }
}

static void run_inner(size_t bytes, unsigned bits)
{
    int64_t count = (int64_t)(bytes * 8 / bits);
    struct layout l = {.outer = 1,
                       .time = count,
                       .inner = 1,
                       .row = 1,
                       .bits = bits,
                       .class = bits < 8 ? INNER_PACKED : INNER};

    run(&l);
    l.outer = 64;
    l.time = count / 64;
    run(&l);
    l.lens = true;
    run(&l);
}

static void run_tiny(size_t bytes, unsigned bits)
{
    static const int64_t entries[] = {2, 3, 4, 7, 16, 32};

    for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
        struct layout l = {.outer = (int64_t)(bytes * 8 / bits) / entries[i],
                           .time = entries[i],
                           .inner = 1,
                           .row = 1,
                           .bits = bits,
                           .class = INNER_TINY};

        run(&l);
    }
}

/* [time, batch] with as many columns as rows, and long and narrow. */
static void run_time(size_t bytes, unsigned bits)
{
    int64_t count = (int64_t)(bytes * 8 / bits), batch = 1;
    struct layout l = {.outer = 1, .row = 1, .bits = bits, .lens = true};

    l.class = bits == 32 && bytes >= (size_t)16 << 20 ? TIME_4 : TIME;
    while (batch * batch * 2 <= count)
        batch *= 2;
    l.inner = batch;
    l.time = count / batch;
    run(&l);
    l.inner = 64;
    l.time = count / 64;
    if (batch != 64 && bytes <= (size_t)1 << 20)
        run(&l);
}

static void summary(void)
{
    printf("\nworst of each class (of memcpy; goal)\n");
    for (int i = 0; i < CLASSES; i++) {
        const struct class *c = &classes[i];

        if (c->worst[SWAP] > 0)
            printf("%-36s goal %.2f  swap %5.2f %-32s copy %5.2f %s\n", c->name,
                   c->goal, c->worst[SWAP], c->where[SWAP], c->worst[COPY],
                   c->where[COPY]);
    }
}

int main(int argc, char **argv)
{
    static const int64_t rows[] = {16, 20, 48, 64, 100, 192, 256, 1000, 4096};

    if (argc > 1)
        most = strtoul(argv[1], NULL, 10) << 20;
    if (argc > 2)
        only = argv[2];
    from = aligned_alloc(4096, most);
    to = aligned_alloc(4096, most);
    if (!from || !to)
        return 1;
    memset(from, 1, most);
    memset(to, 1, most);
    for (size_t bytes = 64 << 10; bytes <= most;
         bytes *= bytes < 1 << 20 ? 16 : 4) {
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
            run_rows(bytes, rows[i]);
        for (unsigned bits = 1; bits <= 128; bits *= 2)
            run_inner(bytes, bits);
        for (unsigned bits = 8; bits <= 64 && bytes <= 1 << 20; bits *= 2)
            run_tiny(bytes, bits);
        for (unsigned bits = 8; bits <= 128; bits *= 2)
            run_time(bytes, bits);
    }
    summary();
    free(from);
    free(to);
    return 0;
}
