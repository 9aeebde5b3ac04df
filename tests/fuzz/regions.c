#include "tests/fuzz/regions.h"

void regions_reset(struct regions *regions)
{
    *regions = (struct regions){.sizes = {0}};
    objects_reset();
    for (int i = 0; i < OBJECT_COUNT; i++)
        regions->sizes[i] = OBJECT_BYTES;
}

void regions_cut(struct regions *regions, int object, int64_t bytes)
{
    objects_cut(object, bytes);
    regions->sizes[object] = bytes;
    for (int i = 0; i < REGIONS; i++) {
        struct region *region = &regions->all[i];

        if (region->object == object &&
            region->offset + region->bytes > (uint64_t)bytes)
            region->may_be_lost = true;
    }
}

bool regions_lies_inside(const struct regions *regions, int object,
                         uint64_t offset, uint64_t bytes)
{
    uint64_t size;

    if (object >= OBJECT_COUNT || bytes == 0)
        return false;
    size = (uint64_t)regions->sizes[object];
    return offset <= size && bytes <= size - offset;
}

bool regions_has(const struct region *region, uint64_t offset, uint64_t bytes)
{
    return offset <= region->bytes && bytes <= region->bytes - offset;
}

uint64_t regions_bytes(const struct regions *regions)
{
    uint64_t sum = 0;

    for (int i = 0; i < REGIONS; i++)
        if (regions->all[i].registered)
            sum += regions->all[i].bytes;
    return sum;
}

size_t regions_count(const struct regions *regions)
{
    size_t count = 0;

    for (int i = 0; i < REGIONS; i++)
        count += regions->all[i].registered;
    return count;
}
