#include "tests/api/ask_region.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

bool ask_region_find(void *context, const char *name, struct api_region *region)
{
    const struct ask_region *r = context;

    while (r->name && strcmp(r->name, name) != 0)
        r++;
    if (r->name)
        *region = (struct api_region){.data = r->data, .size = r->size};
    return r->name != NULL;
}

static unsigned char *copy_of(const struct ask_region *r)
{
    unsigned char *copy = malloc(r->size + 1);

    ck_assert_ptr_nonnull(copy);
    if (r->data)
        memcpy(copy, r->data, r->size);
    return copy;
}

void ask_region_save(struct ask_region *r)
{
    for (; r && r->name; r++)
        r->before = copy_of(r);
}

void ask_region_restore(struct ask_region *r)
{
    for (; r && r->name; r++) {
        r->after = copy_of(r);
        if (r->data)
            memcpy(r->data, r->before, r->size);
    }
}

void ask_region_compare(struct ask_region *r)
{
    for (; r && r->name; r++) {
        ck_assert(!r->data || memcmp(r->data, r->after, r->size) == 0);
        free(r->before);
        free(r->after);
    }
}
