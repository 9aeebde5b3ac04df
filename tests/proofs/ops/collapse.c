/* permutation_init(), the marks and permutation_collapse(): for every shape of
 * RANK axes of 0 to MOST entries, every combination of marks, every length and
 * both orders of memory, the collapsed permutation is that of the definition,
 * its own inverse, and made of rows that its axes cover once. */
#include "kernels/core/tensor.h"
#define SHAPE_MAX_RANK 4 /* a smaller struct is proven faster */
#include "kernels/ops/permutation.c"
#include "tests/proofs/definition.h"

static uint8_t nondet_uint8(void);

void require_failed(const char *file, int line, const char *condition,
                    const char *format, ...)
{
    __CPROVER_assert(false, "REQUIRE");
    __CPROVER_assume(false);
}

/* The row that row `row` comes from, as a mover reads a collapsed permutation;
 * and the row that the coordinates add up to. */
static small row_source(const struct permutation *p, small row, small *again)
{
    small at[MOST_RANK] = {0}, source = 0;

    *again = 0;
    for (int i = 0; i < p->rank; i++) {
        at[i] = row / (small)p->axes[i].stride % (small)p->axes[i].extent;
        *again = (small)(*again + at[i] * (small)p->axes[i].stride);
    }
    for (int i = 0; i < p->rank; i++) {
        const struct permutation_axis *axis = &p->axes[i];
        small flips = axis->map == PERMUTATION_FLIP ? (small)axis->flips
                      : axis->map == PERMUTATION_FLIP_LENS
                          ? (small)p->lens[at[p->batch_axis]]
                          : 0;
        small from = at[i] < flips ? (small)(flips - 1 - at[i]) : at[i];

        source = (small)(source + from * (small)axis->stride);
    }
    return source;
}

static void check_axes(const struct permutation *p, small count)
{
    small covered = 1;

    for (int i = 0; i < p->rank; i++) {
        __CPROVER_assert(p->axes[i].extent > 1 && p->axes[i].stride > 0,
                         "an axis has entries");
        __CPROVER_assert(p->axes[i].map != PERMUTATION_FLIP ||
                             p->axes[i].flips <= p->axes[i].extent,
                         "flips are entries");
        covered = (small)(covered * p->axes[i].extent);
    }
    __CPROVER_assert(covered == p->row_count, "as many coordinates as rows");
    __CPROVER_assert(p->row * p->row_count == count, "rows make the tensor");
}

static void check(struct permutation *p, const struct definition *d)
{
    small count = definition_count(d), again;

    __CPROVER_assert(p->row_count == count, "rows of the tensor");
    permutation_collapse(p);
    if (count == 0) {
        __CPROVER_assert(p->row_count == 0 && p->rank == 0 && !p->lens,
                         "an empty tensor has no axes");
        return;
    }
    __CPROVER_assert(p->rank >= 0 && p->rank <= RANK, "no more axes");
    check_axes(p, count);
    for (small index = 0; index < count; index++) {
        small row = (small)(index / p->row);
        small source = row_source(p, row, &again);

        __CPROVER_assert(again == row, "coordinates cover each row");
        __CPROVER_assert(source * p->row + index % p->row ==
                             definition_source(d, index),
                         "the map is that of the definition");
        __CPROVER_assert(row_source(p, source, &again) == row, "an involution");
    }
    permutation_free(p);
}

/* marks: bit i flips axis i of the shape. */
static void mark(const struct shape *shape, bool mirrored, int marks, int time,
                 int batch)
{
    struct definition d = {.rank = RANK, .batch_axis = -1};
    struct permutation p;

    for (int i = 0; i < RANK; i++)
        d.extents[mirrored ? RANK - 1 - i : i] = (small)shape->dims[i];
    permutation_init(&p, shape, mirrored);
    if (time != batch) {
        int64_t *lens = malloc(MOST_BATCH * sizeof(*lens));

        d.batch_axis = mirrored ? RANK - 1 - batch : batch;
        d.maps[mirrored ? RANK - 1 - time : time] = PERMUTATION_FLIP_LENS;
        for (int i = 0; i < shape->dims[batch]; i++) {
            d.lens[i] = nondet_uint8();
            __CPROVER_assume(d.lens[i] <= shape->dims[time]);
            lens[i] = d.lens[i];
        }
        permutation_flip_lens(&p, time, batch, lens);
    }
    for (int i = 0; i < RANK; i++)
        if (marks >> i & 1) {
            permutation_flip(&p, i);
            d.maps[mirrored ? RANK - 1 - i : i] = PERMUTATION_FLIP;
        }
    check(&p, &d);
}

static void mark_all(const struct shape *shape, bool mirrored)
{
    for (int marks = 0; marks < 1 << RANK; marks++)
        for (int time = 0; time < RANK; time++)
            for (int batch = 0; batch < RANK; batch++)
                if (time == batch ? time == 0 : !(marks >> time & 1) && !(marks >> batch & 1))
                    mark(shape, mirrored, marks, time, batch);
}

int main(void)
{
    struct shape shape = {.rank = RANK};
    int shapes = 1;

    for (int i = 0; i < RANK; i++)
        shapes *= MOST + 1;
    for (int n = 0; n < shapes; n++) {
        for (int i = 0, rest = n; i < RANK; i++, rest /= MOST + 1)
            shape.dims[i] = rest % (MOST + 1);
        mark_all(&shape, false);
        mark_all(&shape, true);
    }
    return 0;
}
