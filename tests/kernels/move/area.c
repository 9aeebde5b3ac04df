#include "tests/kernels/move/area.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 48 };

void area_init(struct area *area, uint64_t *state, size_t bytes)
{
    area->size = bytes + GUARD + GUARD;
    area->memory = malloc(area->size);
    area->wanted = malloc(area->size);
    /* Any alignment: up to 15 bytes of the guard. */
    area->data = area->memory + GUARD - naive_below(state, 16);
    naive_fill(state, area->memory, area->size);
    memcpy(area->wanted, area->memory, area->size);
}

void area_free(struct area *area)
{
    free(area->memory);
    free(area->wanted);
}

unsigned char *area_wanted(const struct area *area)
{
    return area->wanted + (area->data - area->memory);
}

void area_expect(struct area *area, const struct naive *n,
                 const struct element_format *f, const unsigned char *from)
{
    unsigned char *out = area_wanted(area);
    uint64_t count = naive_count(n);

    for (uint64_t i = 0; i < count; i++)
        naive_copy_element(f, from, naive_source(n, i), out, i);
}

void area_check(const struct area *area, const char *mover,
                const struct naive *n, const struct element_format *f)
{
    char shape[128];

    if (memcmp(area->memory, area->wanted, area->size) != 0)
        ck_abort_msg("%s differs: shape %s, %u bits, %s first, batch axis %d",
                     mover, shape_print(&n->shape, shape, sizeof(shape)),
                     f->bits, f->high_first ? "high" : "low", n->batch_axis);
}
