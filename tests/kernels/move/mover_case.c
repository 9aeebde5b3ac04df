#include "tests/kernels/move/mover_case.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/move/move.h"
#include "tests/kernels/move/area.h"

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
