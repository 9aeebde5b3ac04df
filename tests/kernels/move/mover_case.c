#include "tests/kernels/move/mover_case.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/move/move.h"

enum { GUARD = 48 };

/* Memory for a tensor at any alignment between two guards, filled with noise,
 * and its expected content after a move. */
struct area {
    unsigned char *memory; /* owned */
    unsigned char *data;   /* inside it */
    unsigned char *wanted; /* owned: expected content of the whole area */
    size_t size;           /* of the area */
};

static void area_init(struct area *area, uint64_t *state, size_t bytes)
{
    area->size = bytes + GUARD + GUARD;
    area->memory = malloc(area->size);
    area->wanted = malloc(area->size);
    /* Any alignment: up to 15 bytes of the guard. */
    area->data = area->memory + GUARD - naive_below(state, 16);
    naive_fill(state, area->memory, area->size);
    memcpy(area->wanted, area->memory, area->size);
}

static void area_free(struct area *area)
{
    free(area->memory);
    free(area->wanted);
}

/* The expected content of area->data. */
static unsigned char *area_wanted(const struct area *area)
{
    return area->wanted + (area->data - area->memory);
}

/* Expects from now on the result of the formula for `from`. */
static void area_expect(struct area *area, const struct naive *n,
                        const struct element_format *f,
                        const unsigned char *from)
{
    unsigned char *out = area_wanted(area);
    uint64_t count = naive_count(n);

    for (uint64_t i = 0; i < count; i++)
        naive_copy_element(f, from, naive_source(n, i), out, i);
}

/* Aborts the test if the area, guards included, is not as expected. */
static void area_check(const struct area *area, const char *mover,
                       const struct naive *n, const struct element_format *f)
{
    char shape[128];

    if (memcmp(area->memory, area->wanted, area->size) != 0)
        ck_abort_msg("%s differs: shape %s, %u bits, %s first, batch axis %d",
                     mover, shape_print(&n->shape, shape, sizeof(shape)),
                     f->bits, f->high_first ? "high" : "low", n->batch_axis);
}

static void check_swap(uint64_t *state, const struct naive *n,
                       const struct permutation *p,
                       const struct element_format *f, void *scratch)
{
    size_t bytes = naive_bytes(f, naive_count(n));
    unsigned char *from = malloc(bytes + 1);
    struct area area;

    area_init(&area, state, bytes);
    memcpy(from, area_wanted(&area), bytes);
    area_expect(&area, n, f, from);
    if (!move_swap(p, *f, area.data, scratch, NULL))
        ck_abort_msg("move_swap stopped");
    area_check(&area, "move_swap", n, f);
    area_free(&area);
    free(from);
}

static void check_copy(uint64_t *state, const struct naive *n,
                       const struct permutation *p,
                       const struct element_format *f, void *scratch)
{
    size_t bytes = naive_bytes(f, naive_count(n));
    struct area from, to;

    area_init(&from, state, bytes);
    area_init(&to, state, bytes);
    area_expect(&to, n, f, from.data);
    if (!move_copy(p, *f, from.data, to.data, scratch, NULL))
        ck_abort_msg("move_copy stopped");
    area_check(&to, "move_copy", n, f);
    area_check(&from, "move_copy's source", n, f);
    area_free(&from);
    area_free(&to);
}

/* The same, in memory that ends where it is told to. */
static void check_with_scratch(uint64_t *state, const struct naive *n,
                               const struct permutation *p,
                               const struct element_format *f)
{
    size_t bytes = move_scratch(p, *f);
    struct area scratch;

    area_init(&scratch, state, bytes);
    check_swap(state, n, p, f, scratch.data);
    check_copy(state, n, p, f, scratch.data);
    memcpy(area_wanted(&scratch), scratch.data, bytes);
    area_check(&scratch, "the scratch memory", n, f);
    area_free(&scratch);
}

void mover_case_check(uint64_t *state, const struct naive *n,
                      const struct element_format *f)
{
    struct permutation p;

    naive_permutation(n, &p);
    check_swap(state, n, &p, f, NULL);
    check_copy(state, n, &p, f, NULL);
    if (move_scratch(&p, *f) > 0)
        check_with_scratch(state, n, &p, f);
    permutation_free(&p);
}
