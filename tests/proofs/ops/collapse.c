/* permutation_init(), the marks and permutation_collapse(): for every
 * flip of each shape of SHAPES, any lengths of axis TIME for each entry of axis
 * BATCH (none if they are the same) and both orders of memory, the collapsed
 * permutation is that of the definition, its own inverse, and made of rows that
 * its axes cover once. */
#include "kernels/core/tensor.h"
#define SHAPE_MAX_RANK 4 /* a smaller struct is proven faster */
#include "kernels/ops/permutation.c"
#include "tests/proofs/definition.h"
#include "tests/proofs/harness.h"

void require_failed(const char *file, int line, const char *condition,
                    const char *format, ...)
{
    CHECK(!file); /* never called */
    ASSUME(false);
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
        CHECK(p->axes[i].extent > 1 && p->axes[i].stride > 0);
        CHECK(p->axes[i].map != PERMUTATION_FLIP ||
              p->axes[i].flips <= p->axes[i].extent);
        covered = (small)(covered * p->axes[i].extent);
    }
    CHECK(covered == p->row_count);
    CHECK(p->row * p->row_count == count);
}

static void check(struct permutation *p, const struct definition *d)
{
    small count = definition_count(d), again;

    CHECK(p->row_count == count);
    permutation_collapse(p);
    if (count == 0) {
        CHECK(p->row_count == 0 && p->rank == 0 && !p->lens);
        return;
    }
    CHECK(p->rank >= 0 && p->rank <= RANK);
    check_axes(p, count);
    small index = (small)any_below(count), row = (small)(index / p->row);
    small source = row_source(p, row, &again);

    CHECK(again == row); /* the coordinates cover each row */
    CHECK(source * p->row + index % p->row == definition_source(d, index));
    CHECK(row_source(p, source, &again) == row); /* an involution */
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

        ASSUME(lens);
        d.batch_axis = mirrored ? RANK - 1 - batch : batch;
        d.maps[mirrored ? RANK - 1 - time : time] = PERMUTATION_FLIP_LENS;
        for (int i = 0; i < shape->dims[batch]; i++) {
            d.lens[i] = (small)any_length((size_t)shape->dims[time]);
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
        if (TIME == BATCH || !(marks >> TIME & 1 || marks >> BATCH & 1))
            mark(shape, mirrored, marks, TIME, BATCH);
}

int main(void)
{
    static const int64_t shapes[][RANK + 1] = {SHAPES};

    for (size_t n = 0; n < sizeof(shapes) / sizeof(shapes[0]); n++) {
        struct shape shape = {.rank = RANK};

        for (int i = 0; i < RANK; i++)
            shape.dims[i] = shapes[n][i];
        mark_all(&shape, false);
        mark_all(&shape, true);
    }
    REACHED();
}
