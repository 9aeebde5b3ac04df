#include <check.h>
#include <string.h>

#include "server/limits/buffer_pool.h"
#include "tests/count.h"
#include "tests/suite.h"

#define MIB ((size_t)1 << 20)

static const size_t sizes[] = {0,
                               1,
                               4096,
                               BUFFER_POOL_MAPPED - 1,
                               BUFFER_POOL_MAPPED,
                               BUFFER_POOL_MAPPED + 1,
                               MIB,
                               MIB + 1,
                               64 * MIB,
                               64 * MIB + 1,
                               100 * MIB};

START_TEST(buffers_give_what_is_asked_and_at_most_a_quarter_more)
{
    struct buffer_pool buffer_pool;
    struct buffer buffer;
    size_t size = sizes[_i];

    buffer_pool_init(&buffer_pool, 64 * MIB);
    ck_assert(buffer_pool_get(&buffer_pool, size, &buffer));
    ck_assert_uint_ge(buffer.capacity, size);
    ck_assert_uint_le(buffer.capacity, size + size / 4 + 1);
    if (size > 0)
        buffer.data[0] = buffer.data[size - 1] = 1;
    buffer_pool_put(&buffer_pool, &buffer, 0);
    ck_assert_ptr_null(buffer.data);
    buffer_pool_free(&buffer_pool);
}
END_TEST

START_TEST(buffers_give_a_kept_one_again)
{
    struct buffer_pool buffer_pool;
    struct buffer buffer;
    unsigned char *first;

    buffer_pool_init(&buffer_pool, 64 * MIB);
    ck_assert(buffer_pool_get(&buffer_pool, MIB, &buffer));
    first = buffer.data;
    buffer_pool_put(&buffer_pool, &buffer, 5);
    ck_assert_uint_eq(buffer_pool.kept, MIB);
    ck_assert(buffer_pool_get(&buffer_pool, MIB - 7, &buffer));
    ck_assert_ptr_eq(buffer.data, first);
    ck_assert_uint_eq(buffer_pool.kept, 0);
    buffer_pool_put(&buffer_pool, &buffer, 5);
    buffer_pool_free(&buffer_pool);
}
END_TEST

START_TEST(buffers_keep_no_more_than_the_limit)
{
    struct buffer_pool buffer_pool;
    struct buffer held[8];

    buffer_pool_init(&buffer_pool, 3 * MIB);
    for (int i = 0; i < 8; i++)
        ck_assert(buffer_pool_get(&buffer_pool, MIB, &held[i]));
    for (int i = 0; i < 8; i++)
        buffer_pool_put(&buffer_pool, &held[i], 0);
    ck_assert_uint_eq(buffer_pool.kept, 3 * MIB);
    buffer_pool_free(&buffer_pool);
}
END_TEST

START_TEST(buffers_trim_gives_back_only_what_is_old)
{
    struct buffer_pool buffer_pool;
    struct buffer held[3];

    buffer_pool_init(&buffer_pool, 64 * MIB);
    for (int i = 0; i < 3; i++)
        ck_assert(buffer_pool_get(&buffer_pool, MIB, &held[i]));
    for (int i = 0; i < 3; i++)
        buffer_pool_put(&buffer_pool, &held[i], 100 + (uint64_t)i);
    buffer_pool_trim(&buffer_pool, 100);
    ck_assert_uint_eq(buffer_pool.kept, 3 * MIB);
    buffer_pool_trim(&buffer_pool, 102);
    ck_assert_uint_eq(buffer_pool.kept, MIB);
    buffer_pool_free(&buffer_pool);
    ck_assert_uint_eq(buffer_pool.kept, 0);
}
END_TEST

START_TEST(buffers_grow_keeps_the_contents)
{
    struct buffer_pool buffer_pool;
    struct buffer buffer = {NULL, 0};
    size_t used = 0;

    buffer_pool_init(&buffer_pool, 64 * MIB);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        ck_assert(buffer_pool_grow(&buffer_pool, &buffer, used, sizes[i], 0));
        for (size_t j = 0; j < used; j += 997)
            ck_assert_uint_eq(buffer.data[j], j % 251);
        for (size_t j = used; j < sizes[i]; j++)
            buffer.data[j] = (unsigned char)(j % 251);
        used = sizes[i];
    }
    buffer_pool_put(&buffer_pool, &buffer, 0);
    buffer_pool_free(&buffer_pool);
}
END_TEST

START_TEST(buffers_say_when_there_is_no_memory)
{
    struct buffer_pool buffer_pool;
    struct buffer buffer, small;

    buffer_pool_init(&buffer_pool, 64 * MIB);
    ck_assert(!buffer_pool_get(&buffer_pool, SIZE_MAX / 2, &buffer));
    ck_assert_ptr_null(buffer.data);
    buffer_pool_put(&buffer_pool, &buffer, 0);
    ck_assert(buffer_pool_get(&buffer_pool, 10, &small));
    ck_assert(!buffer_pool_grow(&buffer_pool, &small, 10, SIZE_MAX / 2, 0));
    ck_assert_uint_eq(small.capacity, 10);
    buffer_pool_put(&buffer_pool, &small, 0);
    buffer_pool_free(&buffer_pool);
}
END_TEST

enum { THREADS = 4 };

static void *get_and_put(void *context)
{
    struct buffer_pool *buffer_pool = context;
    struct buffer buffer;

    for (size_t i = 0; i < 2000; i++) {
        size_t size = BUFFER_POOL_MAPPED + i % 64 * 8192;

        if (!buffer_pool_get(buffer_pool, size, &buffer))
            return context;
        memset(buffer.data, (int)i, 64);
        buffer_pool_put(buffer_pool, &buffer, i);
        if (i % 100 == 0)
            buffer_pool_trim(buffer_pool, i);
    }
    return NULL;
}

START_TEST(buffers_serve_many_threads)
{
    struct buffer_pool buffer_pool;
    pthread_t threads[THREADS];

    buffer_pool_init(&buffer_pool, MIB);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, get_and_put, &buffer_pool);
    for (int i = 0; i < THREADS; i++) {
        void *failed;

        pthread_join(threads[i], &failed);
        ck_assert_ptr_null(failed);
    }
    ck_assert_uint_le(buffer_pool.kept, MIB);
    buffer_pool_free(&buffer_pool);
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
