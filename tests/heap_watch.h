/* A loop of a Check test that must leave nothing on the heap. */
#pragma once

#include <check.h>

#include "tests/heap_in_use.h"

struct heap_watch {
    int times;   /* rounds; the first half is not measured */
    size_t room; /* the second half leaves fewer bytes: 1, or a block a round */
    int done;
    size_t before;
};

/* while (heap_goes_on(&watch)) { ... } */
static inline bool heap_goes_on(struct heap_watch *watch)
{
    if (watch->done == watch->times / 2)
        watch->before = heap_in_use();
    if (watch->done++ < watch->times)
        return true;
    ck_assert_uint_lt(heap_in_use(), watch->before + watch->room);
    return false;
}
