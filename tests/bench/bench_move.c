/* The swap and copy movers beside memcpy of the same bytes, in turn, best of a
 * few rounds: rows of every kind, and a flip of single elements. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/move_copy.h"
#include "kernels/move_swap.h"
#include "kernels/movement.h"

struct buffers {
    unsigned char *from, *to;
    size_t bytes;
};

static double now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

enum kind { MEMCPY, SWAP, COPY };

static void once(const struct buffers *b, const struct movement *m,
                 unsigned bits, enum kind kind)
{
    switch (kind) {
    case MEMCPY:
        memcpy(b->to, b->from, b->bytes);
        break;
    case SWAP:
        move_swap(m, bits, false, b->from, NULL);
        break;
    case COPY:
        move_copy(m, bits, false, b->from, b->to, NULL);
        break;
    }
}

/* Best seconds of one run; enough runs a round to take a few milliseconds. */
static void measure(const struct buffers *b, const struct movement *m,
                    unsigned bits, double best[3])
{
    size_t runs = ((size_t)64 << 20) / b->bytes + 1;

    for (int kind = 0; kind < 3; kind++)
        best[kind] = 1e9;
    for (int round = 0; round < 5; round++) {
        for (int kind = 0; kind < 3; kind++) {
            double start = now();

            for (size_t i = 0; i < runs; i++)
                once(b, m, bits, (enum kind)kind);
            start = (now() - start) / (double)runs;
            best[kind] = start < best[kind] ? start : best[kind];
        }
    }
}

static void print(const char *what, size_t bytes, const double best[3])
{
    printf("%-34s %9zu KiB  memcpy %7.2f GB/s  swap %5.2f x  copy %5.2f x\n",
           what, bytes >> 10, (double)bytes / best[MEMCPY] / 1e9,
           best[MEMCPY] / best[SWAP], best[MEMCPY] / best[COPY]);
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

/* [time, batch, row], time-major, random lengths; or [batch, time, row]. */
static void run(const struct buffers *all, size_t bytes, size_t row_bytes,
                unsigned bits, bool time_major, bool lens)
{
    int64_t row = (int64_t)(row_bytes * 8 / bits);
    int64_t rows = (int64_t)(bytes / row_bytes);
    int64_t batch = 1;
    struct shape shape = {.rank = 3};
    struct buffers b = *all;
    struct movement m;
    double best[3];
    char what[64];

    while (batch * batch * 4 <= rows)
        batch *= 2;
    shape.dims[time_major ? 1 : 0] = batch;
    shape.dims[time_major ? 0 : 1] = rows / batch;
    shape.dims[2] = row;
    b.bytes = bytes;
    movement_init(&m, &shape);
    if (lens)
        movement_flip_lens(&m, time_major ? 0 : 1, time_major ? 1 : 0,
                           random_lens(batch, rows / batch));
    else
        movement_flip(&m, time_major ? 0 : 1);
    movement_collapse(&m);
    measure(&b, &m, bits, best);
    snprintf(what, sizeof(what), "%s%s row %zu x %u bit",
             time_major ? "[t,b,r]" : "[b,t,r]", lens ? " lens" : " flip",
             row_bytes, bits);
    print(what, bytes, best);
    movement_free(&m);
}

int main(int argc, char **argv)
{
    static const size_t rows[] = {1, 2, 4, 8, 16, 48, 64, 100, 256, 4096};
    size_t most = (argc > 1 ? strtoul(argv[1], NULL, 10) : 256) << 20;
    struct buffers b = {malloc(most), malloc(most), most};

    if (!b.from || !b.to)
        return 1;
    memset(b.from, 1, most);
    memset(b.to, 1, most);
    for (size_t bytes = 64 << 10; bytes <= most; bytes *= 16)
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
            for (int form = 0; form < 4; form++)
                run(&b, bytes, rows[i],
                    rows[i] > 16 || rows[i] & (rows[i] - 1)
                        ? 32
                        : (unsigned)rows[i] * 8,
                    form & 1, form & 2);
    free(b.from);
    free(b.to);
    return 0;
}
