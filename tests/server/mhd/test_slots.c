#include <string.h>
#include <sys/mman.h>

#include "server/mhd/slots.h"
#include "tests/unit.h"

enum {
    COUNT = 200, /* more than keep their memory when they are free */
    PAGE = 4 << 10,
    PAGES = SLOT_BYTES / PAGE,
    KEPT = 64,
    LINE = 1000,   /* bytes of a request line and headers */
    HEADERS = 500, /* and what libmicrohttpd keeps of them at the end */
};

static struct slots slots;
static unsigned char *states[COUNT], *memories[COUNT];

static void take(int i)
{
    states[i] = slots_take(&slots);
    ck_assert_ptr_nonnull(states[i]);
    memories[i] = slots_lend(&slots, states[i]);
}

static void give(int i)
{
    ck_assert(slots_return(&slots, memories[i]));
    slots_give(&slots, states[i]);
}

static void set_up(void)
{
    ck_assert(slots_init(&slots, COUNT));
    for (int i = 0; i < COUNT; i++)
        take(i);
}

/* Gives back what the test has left. */
static void tear_down(void)
{
    for (int i = 0; i < COUNT; i++) {
        const unsigned char *users =
            &slots.states[(states[i] - slots.pages) / SLOT_BYTES];

        if (*users & 2)
            ck_assert(slots_return(&slots, memories[i]));
        if (*users & 1)
            slots_give(&slots, states[i]);
    }
    slots_free(&slots);
}

/* The pages of all slots that have memory. */
static size_t resident(void)
{
    unsigned char in_memory[COUNT * PAGES + 1];
    size_t count = 0;

    ck_assert_int_eq(mincore(slots.pages, slots.size, in_memory), 0);
    for (size_t i = 0; i < slots.size / PAGE; i++)
        count += in_memory[i] & 1;
    return count;
}

static void fill(int i, unsigned char byte)
{
    memset(memories[i], byte, SLOT_MEMORY);
}

static void ck_filled(int i, unsigned char byte)
{
    for (int at = 0; at < SLOT_MEMORY; at++)
        if (memories[i][at] != byte)
            ck_abort_msg("slot %d: byte %d is %u, not %u", i, at,
                         memories[i][at], byte);
}

UNIT_TEST(slots_are_as_many_as_reserved_and_know_their_memory)
{
    static const unsigned char zeros[SLOT_STATE];
    int other;

    ck_assert(!slots_return(&slots, &other));
    ck_assert(!slots_return(&slots, NULL));
    ck_assert(!slots_return(&slots, slots.pages + slots.size));
    ck_assert_ptr_null(slots_take(&slots));
    memset(states[7], 1, SLOT_STATE);
    give(7);
    take(7);
    ck_assert_int_eq(memcmp(states[7], zeros, SLOT_STATE), 0);
    ck_assert_ptr_null(slots_take(&slots));
}

UNIT_TEST(slots_do_not_overlap)
{
    for (int i = 0; i < COUNT; i++) {
        memset(states[i], 255 - i, SLOT_STATE);
        fill(i, (unsigned char)i);
    }
    for (int i = 0; i < COUNT; i++) {
        ck_assert_uint_eq(states[i][0], (unsigned)(255 - i));
        ck_assert_uint_eq(states[i][SLOT_STATE - 1], (unsigned)(255 - i));
        ck_filled(i, (unsigned char)i);
    }
    for (int i = 0; i < COUNT; i++)
        if (i % 3 != 1)
            give(i);
    for (int i = 1; i < COUNT; i += 3)
        ck_filled(i, (unsigned char)i);
}

UNIT_TEST(slot_is_free_when_both_users_have_given_it_back)
{
    ck_assert(slots_return(&slots, memories[0]));
    ck_assert_ptr_null(slots_take(&slots));
    slots_give(&slots, states[0]);
    ck_assert_ptr_eq(slots_take(&slots), states[0]);
    slots_give(&slots, states[1]);
    ck_assert_ptr_null(slots_take(&slots));
    ck_assert(slots_return(&slots, memories[1]));
    ck_assert_ptr_eq(slots_take(&slots), states[1]);
}

UNIT_TEST(slot_of_a_short_request_takes_one_page)
{
    for (int i = 0; i < COUNT; i++) {
        memset(states[i], 1, SLOT_STATE);
        memset(memories[i], 1, LINE);
        memset(memories[i] + SLOT_MEMORY - HEADERS, 1, HEADERS);
    }
    ck_assert_uint_le(resident(), COUNT + 1);
}

UNIT_TEST(slots_that_are_free_give_their_memory_back)
{
    for (int i = 0; i < COUNT; i++)
        fill(i, 1);
    ck_assert_uint_ge(resident(), COUNT * PAGES);
    for (int i = 0; i < COUNT; i++)
        give(i);
    ck_assert_uint_le(resident(), KEPT * (PAGES + 1));
    for (int i = 0; i < COUNT; i++)
        take(i);
}

UNIT_TEST(trim_gives_pages_of_zeros_back)
{
    size_t before = resident();

    for (int i = 0; i < COUNT; i++)
        fill(i, (unsigned char)i); /* the first with zeros */
    slots_trim(&slots, states[0]);
    slots_trim(&slots, states[1]);
    ck_filled(1, 1);
    ck_assert_uint_eq(resident(), COUNT * PAGES + 1 - (PAGES - 1));
    for (int i = 0; i < COUNT; i++) {
        fill(i, 0);
        memories[i][10000] = 1; /* one page of each is in use */
        slots_trim(&slots, states[i]);
    }
    ck_assert_uint_le(resident(), before + COUNT + 1);
    for (int i = 0; i < COUNT; i++) {
        ck_assert_uint_eq(memories[i][10000], 1);
        memories[i][10000] = 0;
        ck_filled(i, 0);
    }
}

/* Until its connection is gone: libmicrohttpd returns the memory before. */
UNIT_TEST(trim_leaves_memory_alone_that_was_returned)
{
    size_t before;

    fill(0, 0);
    ck_assert(slots_return(&slots, memories[0]));
    before = resident();
    slots_trim(&slots, states[0]);
    ck_assert_uint_eq(resident(), before);
}

FIXTURE(set_up, tear_down)
