/* What a client knows of the shared memory regions that it has registered: the
 * model beside the registry of the server. One thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/fuzz/objects.h"

enum { REGIONS = 4, REGIONS_BYTES = 20000 /* of all together */ };

struct region {
    bool registered;
    /* Its object was cut below its end: the server may have noticed. */
    bool may_be_lost;
    int object;
    uint64_t offset, bytes;
};

/* All of them, and the present size of each object. */
struct regions {
    struct region all[REGIONS];
    int64_t sizes[OBJECT_COUNT];
};

void regions_reset(struct regions *regions);

/* Cuts an object, or lets it grow. */
void regions_cut(struct regions *regions, int object, int64_t bytes);

/* True if such a region lies in its object. `object`: any number. */
bool regions_lies_inside(const struct regions *regions, int object,
                         uint64_t offset, uint64_t bytes);

/* True if `bytes` from `offset` on lie in the region. */
bool regions_has(const struct region *region, uint64_t offset, uint64_t bytes);

/* Bytes and number of the registered ones. */
uint64_t regions_bytes(const struct regions *regions);
size_t regions_count(const struct regions *regions);
