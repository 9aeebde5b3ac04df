#include <check.h>

#include "server/conn/connection_list.h"
#include "tests/suite.h"

enum { COUNT = 4 };

static struct stage_queue queue;
static struct stage_entry entries[COUNT]; /* added at 0, 100, 200, 300 ms */

static void set_up(void)
{
    stage_queue_init(&queue);
    for (uint64_t i = 0; i < COUNT; i++)
        stage_queue_add(&queue, &entries[i], 100 * i);
}

START_TEST(stage_queue_gives_the_oldest_at_its_age)
{
    ck_assert_ptr_null(stage_queue_oldest(&queue, 49, 50));
    ck_assert_ptr_eq(stage_queue_oldest(&queue, 50, 50), &entries[0]);
    ck_assert_ptr_eq(stage_queue_oldest(&queue, 1000, 50), &entries[0]);
    stage_queue_remove(&queue, &entries[0]);
    ck_assert_ptr_null(stage_queue_oldest(&queue, 149, 50));
    ck_assert_ptr_eq(stage_queue_oldest(&queue, 150, 50), &entries[1]);
}
END_TEST

START_TEST(stage_queue_looks_at_each_once)
{
    ck_assert_ptr_null(stage_queue_look(&queue, 49, 50));
    ck_assert_ptr_eq(stage_queue_look(&queue, 150, 50), &entries[0]);
    ck_assert_ptr_eq(stage_queue_look(&queue, 150, 50), &entries[1]);
    ck_assert_ptr_null(stage_queue_look(&queue, 249, 50));
    ck_assert_ptr_eq(stage_queue_look(&queue, 250, 50), &entries[2]);
    ck_assert_ptr_eq(stage_queue_look(&queue, 9000, 50), &entries[3]);
    ck_assert_ptr_null(stage_queue_look(&queue, 9000, 50));
}
END_TEST

START_TEST(stage_queue_looks_at_what_comes_after_the_end)
{
    struct stage_entry late;

    while (stage_queue_look(&queue, 9000, 0))
        continue;
    stage_queue_add(&queue, &late, 9000);
    ck_assert_ptr_eq(stage_queue_look(&queue, 9050, 50), &late);
}
END_TEST

START_TEST(stage_queue_looks_on_behind_a_removed_entry)
{
    stage_queue_remove(&queue, &entries[0]);
    ck_assert_ptr_eq(stage_queue_look(&queue, 9000, 0), &entries[1]);
    stage_queue_remove(&queue, &entries[1]); /* was looked at */
    stage_queue_remove(&queue, &entries[3]);
    ck_assert_ptr_eq(stage_queue_look(&queue, 9000, 0), &entries[2]);
    ck_assert_ptr_null(stage_queue_look(&queue, 9000, 0));
    ck_assert_ptr_eq(TAILQ_FIRST(&queue.entries), &entries[2]);
    ck_assert_ptr_null(TAILQ_NEXT(&entries[2], link));
}
END_TEST

START_TEST(stage_queue_looks_again_at_an_entry_added_anew)
{
    ck_assert_ptr_eq(stage_queue_look(&queue, 9000, 0), &entries[0]);
    stage_queue_remove(&queue, &entries[0]);
    stage_queue_add(&queue, &entries[0], 9000);
    for (int i = 1; i < COUNT; i++)
        ck_assert_ptr_eq(stage_queue_look(&queue, 9000, 0), &entries[i]);
    ck_assert_ptr_eq(stage_queue_look(&queue, 9000, 0), &entries[0]);
}
END_TEST

SUITE_WITH("stage_queue", set_up, NULL,
           TEST(stage_queue_gives_the_oldest_at_its_age),
           TEST(stage_queue_looks_at_each_once),
           TEST(stage_queue_looks_at_what_comes_after_the_end),
           TEST(stage_queue_looks_on_behind_a_removed_entry),
           TEST(stage_queue_looks_again_at_an_entry_added_anew))
