#include "server/mhd/slots.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernels/core/require.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

enum {
    PAGE = 4 << 10, /* systems with larger ones keep all memory */
    /* From a page's begin to a state: the end of the memory before it, where
     * libmicrohttpd keeps 56 bytes for each header. */
    TAIL = 640,
    STEP = 64, /* slots that become writable together */
    WARM = 64, /* free slots that keep their memory */
};

/* The users of a slot. */
enum { STATE = 1, MEMORY = 2 };

static unsigned char *state_of(const struct slots *slots, uint32_t slot)
{
    return slots->pages + TAIL + (size_t)slot * SLOT_BYTES;
}

static uint32_t slot_of(const struct slots *slots, const void *state)
{
    return (uint32_t)(((const unsigned char *)state - slots->pages) /
                      SLOT_BYTES);
}

bool slots_init(struct slots *slots, uint32_t count)
{
    size_t size = (size_t)count * SLOT_BYTES + PAGE;
    void *pages = mmap(NULL, size, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (pages == MAP_FAILED)
        return false;
    /* A huge page would be 64 slots at once. */
    madvise(pages, size, MADV_NOHUGEPAGE);
    *slots = (struct slots){.pages = pages,
                            .size = size,
                            .trims = sysconf(_SC_PAGESIZE) == PAGE,
                            .count = count,
                            .free = calloc(count, sizeof(slots->free[0])),
                            .states = calloc(count, 1)};
    if (slots->free && slots->states)
        return true;
    slots_free(slots);
    return false;
}

void slots_free(struct slots *slots)
{
    REQUIRE_WITH(slots->warm + slots->cold == slots->used, "%u, %u of %u",
                 slots->warm, slots->cold, slots->used);
    ASAN_UNPOISON_MEMORY_REGION(slots->pages, slots->size);
    munmap(slots->pages, slots->size);
    free(slots->free);
    free(slots->states);
}

/* Makes the next slots writable. */
static bool extend(struct slots *slots)
{
    uint32_t left = slots->count - slots->used;
    uint32_t step = left < STEP ? left : STEP;

    return slots->used % STEP != 0 ||
           mprotect(slots->pages + (size_t)slots->used * SLOT_BYTES,
                    (size_t)step * SLOT_BYTES + PAGE,
                    PROT_READ | PROT_WRITE) == 0;
}

static bool choose(struct slots *slots, uint32_t *slot)
{
    if (slots->warm > 0)
        *slot = slots->free[--slots->warm];
    else if (slots->cold > 0)
        *slot = slots->free[slots->count - slots->cold--];
    else if (slots->used < slots->count && extend(slots))
        *slot = slots->used++;
    else
        return false;
    return true;
}

void *slots_take(struct slots *slots)
{
    uint32_t slot;

    if (!choose(slots, &slot))
        return NULL;
    REQUIRE_WITH(slots->states[slot] == 0, "slot %u", slot);
    slots->states[slot] = STATE;
    ASAN_UNPOISON_MEMORY_REGION(state_of(slots, slot), SLOT_STATE);
    return memset(state_of(slots, slot), 0, SLOT_STATE);
}

static bool is_free(const struct slots *slots, uint32_t slot)
{
    return slot < slots->used && slots->states[slot] == 0;
}

/* The pages that it shares stay as long as a neighbour is in use. */
static void drop_pages(const struct slots *slots, uint32_t slot)
{
    size_t from = (size_t)slot * SLOT_BYTES, to = from + SLOT_BYTES;

    if (slot > 0 && !is_free(slots, slot - 1))
        from += PAGE;
    if (slot + 1 == slots->used || is_free(slots, slot + 1))
        to += PAGE;
    if (slots->trims)
        madvise(slots->pages + from, to - from, MADV_DONTNEED);
}

static void end_use(struct slots *slots, uint32_t slot, unsigned char user)
{
    REQUIRE_WITH(slot < slots->used && (slots->states[slot] & user),
                 "slot %u of %u", slot, slots->used);
    slots->states[slot] &= (unsigned char)~user;
    if (slots->states[slot] != 0)
        return;
    REQUIRE_WITH(slots->warm + slots->cold < slots->used, "%u, %u of %u",
                 slots->warm, slots->cold, slots->used);
    if (slots->warm < WARM) {
        slots->free[slots->warm++] = slot;
        return;
    }
    drop_pages(slots, slot);
    slots->free[slots->count - ++slots->cold] = slot;
}

void slots_give(struct slots *slots, void *state)
{
    ASAN_POISON_MEMORY_REGION(state, SLOT_STATE);
    end_use(slots, slot_of(slots, state), STATE);
}

void *slots_lend(struct slots *slots, void *state)
{
    unsigned char *memory = (unsigned char *)state + SLOT_STATE;

    REQUIRE(slots->states[slot_of(slots, state)] == STATE);
    slots->states[slot_of(slots, state)] |= MEMORY;
    ASAN_UNPOISON_MEMORY_REGION(memory, SLOT_MEMORY);
    return memory;
}

bool slots_return(struct slots *slots, void *memory)
{
    if ((uintptr_t)memory - (uintptr_t)slots->pages >= slots->size)
        return false;
    ASAN_POISON_MEMORY_REGION(memory, SLOT_MEMORY);
    end_use(slots, slot_of(slots, (unsigned char *)memory - SLOT_STATE),
            MEMORY);
    return true;
}

static bool holds_zeros(const unsigned char *page)
{
    return page[0] == 0 && memcmp(page, page + 1, PAGE - 1) == 0;
}

void slots_trim(struct slots *slots, void *state)
{
    unsigned char *begin =
        slots->pages + (size_t)slot_of(slots, state) * SLOT_BYTES;
    unsigned char *end = begin + SLOT_BYTES;

    if (!slots->trims || !(slots->states[slot_of(slots, state)] & MEMORY))
        return;
    for (unsigned char *page = begin + PAGE; page < end; page += PAGE)
        if (holds_zeros(page))
            madvise(page, PAGE, MADV_DONTNEED);
}
