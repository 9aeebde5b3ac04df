#include <check.h>
#include <string.h>

#include "server/buffers.h"
#include "tests/count.h"
#include "tests/suite.h"

#define MIB ((size_t)1 << 20)

static const size_t sizes[] = {0,
                               1,
                               4096,
                               BUFFERS_MAPPED - 1,
                               BUFFERS_MAPPED,
                               BUFFERS_MAPPED + 1,
                               MIB,
                               MIB + 1,
                               64 * MIB,
                               64 * MIB + 1,
                               100 * MIB};

START_TEST(buffers_give_what_is_asked_and_at_most_a_quarter_more)
{
    struct buffers buffers;
    struct buffer buffer;
    size_t size = sizes[_i];

    buffers_init(&buffers, 64 * MIB);
    ck_assert(buffers_get(&buffers, size, &buffer));
    ck_assert_uint_ge(buffer.capacity, size);
    ck_assert_uint_le(buffer.capacity, size + size / 4 + 1);
    if (size > 0)
        buffer.data[0] = buffer.data[size - 1] = 1;
    buffers_put(&buffers, &buffer, 0);
    ck_assert_ptr_null(buffer.data);
    buffers_free(&buffers);
}
END_TEST

START_TEST(buffers_give_a_kept_one_again)
{
    struct buffers buffers;
    struct buffer buffer;
    unsigned char *first;

    buffers_init(&buffers, 64 * MIB);
    ck_assert(buffers_get(&buffers, MIB, &buffer));
    first = buffer.data;
    buffers_put(&buffers, &buffer, 5);
    ck_assert_uint_eq(buffers.kept, MIB);
    ck_assert(buffers_get(&buffers, MIB - 7, &buffer));
    ck_assert_ptr_eq(buffer.data, first);
    ck_assert_uint_eq(buffers.kept, 0);
    buffers_put(&buffers, &buffer, 5);
    buffers_free(&buffers);
}
END_TEST

START_TEST(buffers_keep_no_more_than_the_limit)
{
    struct buffers buffers;
    struct buffer held[8];

    buffers_init(&buffers, 3 * MIB);
    for (int i = 0; i < 8; i++)
        ck_assert(buffers_get(&buffers, MIB, &held[i]));
    for (int i = 0; i < 8; i++)
        buffers_put(&buffers, &held[i], 0);
    ck_assert_uint_eq(buffers.kept, 3 * MIB);
    buffers_free(&buffers);
}
END_TEST

START_TEST(buffers_trim_gives_back_only_what_is_old)
{
    struct buffers buffers;
    struct buffer held[3];

    buffers_init(&buffers, 64 * MIB);
    for (int i = 0; i < 3; i++)
        ck_assert(buffers_get(&buffers, MIB, &held[i]));
    for (int i = 0; i < 3; i++)
        buffers_put(&buffers, &held[i], 100 + (uint64_t)i);
    buffers_trim(&buffers, 100);
    ck_assert_uint_eq(buffers.kept, 3 * MIB);
    buffers_trim(&buffers, 102);
    ck_assert_uint_eq(buffers.kept, MIB);
    buffers_free(&buffers);
    ck_assert_uint_eq(buffers.kept, 0);
}
END_TEST

START_TEST(buffers_grow_keeps_the_contents)
{
    struct buffers buffers;
    struct buffer buffer = {NULL, 0};
    size_t used = 0;

    buffers_init(&buffers, 64 * MIB);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        ck_assert(buffers_grow(&buffers, &buffer, used, sizes[i], 0));
        for (size_t j = 0; j < used; j += 997)
            ck_assert_uint_eq(buffer.data[j], j % 251);
        for (size_t j = used; j < sizes[i]; j++)
            buffer.data[j] = (unsigned char)(j % 251);
        used = sizes[i];
    }
    buffers_put(&buffers, &buffer, 0);
    buffers_free(&buffers);
}
END_TEST

START_TEST(buffers_say_when_there_is_no_memory)
{
    struct buffers buffers;
    struct buffer buffer, small;

    buffers_init(&buffers, 64 * MIB);
    ck_assert(!buffers_get(&buffers, SIZE_MAX / 2, &buffer));
    ck_assert_ptr_null(buffer.data);
    buffers_put(&buffers, &buffer, 0);
    ck_assert(buffers_get(&buffers, 10, &small));
    ck_assert(!buffers_grow(&buffers, &small, 10, SIZE_MAX / 2, 0));
    ck_assert_uint_eq(small.capacity, 10);
    buffers_put(&buffers, &small, 0);
    buffers_free(&buffers);
}
END_TEST

enum { THREADS = 4 };

static void *get_and_put(void *context)
{
    struct buffers *buffers = context;
    struct buffer buffer;

    for (size_t i = 0; i < 2000; i++) {
        size_t size = BUFFERS_MAPPED + i % 64 * 8192;

        if (!buffers_get(buffers, size, &buffer))
            return context;
        memset(buffer.data, (int)i, 64);
        buffers_put(buffers, &buffer, i);
        if (i % 100 == 0)
            buffers_trim(buffers, i);
    }
    return NULL;
}

START_TEST(buffers_serve_many_threads)
{
    struct buffers buffers;
    pthread_t threads[THREADS];

    buffers_init(&buffers, MIB);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, get_and_put, &buffers);
    for (int i = 0; i < THREADS; i++) {
        void *failed;

        pthread_join(threads[i], &failed);
        ck_assert_ptr_null(failed);
    }
    ck_assert_uint_le(buffers.kept, MIB);
    buffers_free(&buffers);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("buffers");
    TCase *tc = tcase_create("core");

    tcase_add_loop_test(tc,
                        buffers_give_what_is_asked_and_at_most_a_quarter_more,
                        0, COUNT(sizes));
    tcase_add_test(tc, buffers_give_a_kept_one_again);
    tcase_add_test(tc, buffers_keep_no_more_than_the_limit);
    tcase_add_test(tc, buffers_trim_gives_back_only_what_is_old);
    tcase_add_test(tc, buffers_grow_keeps_the_contents);
    tcase_add_test(tc, buffers_say_when_there_is_no_memory);
    tcase_add_test(tc, buffers_serve_many_threads);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_run(suite);
}
