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

START_TEST(buffer_pool_rounds_up_by_at_most_a_quarter)
{
    struct buffer_pool pool;
    struct buffer buffer;
    size_t size = sizes[_i];

    buffer_pool_init(&pool, 64 * MIB, NULL);
    ck_assert(buffer_pool_get(&pool, size, &buffer));
    ck_assert_uint_ge(buffer.capacity, size);
    ck_assert_uint_le(buffer.capacity, size + size / 4 + 1);
    if (size > 0)
        buffer.data[0] = buffer.data[size - 1] = 1;
    buffer_pool_put(&pool, &buffer);
    ck_assert_ptr_null(buffer.data);
    buffer_pool_free(&pool);
}
END_TEST

START_TEST(buffer_pool_reuses_a_kept_buffer)
{
    struct buffer_pool pool;
    struct buffer buffer;
    unsigned char *first;

    buffer_pool_init(&pool, 64 * MIB, NULL);
    ck_assert(buffer_pool_get(&pool, MIB, &buffer));
    first = buffer.data;
    buffer_pool_put(&pool, &buffer);
    ck_assert_uint_eq(pool.kept.bytes, MIB);
    ck_assert(buffer_pool_get(&pool, MIB - 7, &buffer));
    ck_assert_ptr_eq(buffer.data, first);
    ck_assert_uint_eq(pool.kept.bytes, 0);
    buffer_pool_put(&pool, &buffer);
    buffer_pool_free(&pool);
}
END_TEST

START_TEST(buffer_pool_grow_keeps_the_contents)
{
    struct buffer_pool pool;
    struct buffer buffer = {NULL, 0, 0};
    size_t used = 0;

    buffer_pool_init(&pool, 64 * MIB, NULL);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        ck_assert(buffer_pool_grow(&pool, &buffer, used, sizes[i]));
        for (size_t j = 0; j < used; j += 997)
            ck_assert_uint_eq(buffer.data[j], j % 251);
        for (size_t j = used; j < sizes[i]; j++)
            buffer.data[j] = (unsigned char)(j % 251);
        used = sizes[i];
    }
    buffer_pool_put(&pool, &buffer);
    buffer_pool_free(&pool);
}
END_TEST

START_TEST(buffer_pool_reports_lack_of_memory)
{
    struct buffer_pool pool;
    struct buffer buffer, small;

    buffer_pool_init(&pool, 64 * MIB, NULL);
    ck_assert(!buffer_pool_get(&pool, SIZE_MAX / 2, &buffer));
    ck_assert_ptr_null(buffer.data);
    buffer_pool_put(&pool, &buffer);
    ck_assert(buffer_pool_get(&pool, 10, &small));
    ck_assert(!buffer_pool_grow(&pool, &small, 10, SIZE_MAX / 2));
    ck_assert_uint_eq(small.capacity, 10);
    buffer_pool_put(&pool, &small);
    buffer_pool_free(&pool);
}
END_TEST

enum { THREADS = 4 };

static void *get_and_put(void *context)
{
    struct buffer_pool *pool = context;
    struct buffer buffer;

    for (size_t i = 0; i < 2000; i++) {
        size_t size = BUFFER_POOL_MAPPED + i % 64 * 8192;

        if (!buffer_pool_get(pool, size, &buffer))
            return context;
        memset(buffer.data, (int)i, 64);
        buffer_pool_put(pool, &buffer);
        if (i % 100 == 0)
            kept_buffers_trim(&pool->kept, (unsigned)i / 100 % 2);
    }
    return NULL;
}

START_TEST(buffer_pool_serves_many_threads)
{
    struct buffer_pool pool;
    pthread_t threads[THREADS];

    buffer_pool_init(&pool, MIB, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, get_and_put, &pool);
    for (int i = 0; i < THREADS; i++) {
        void *failed;

        pthread_join(threads[i], &failed);
        ck_assert_ptr_null(failed);
    }
    ck_assert_uint_le(pool.kept.bytes, MIB);
    buffer_pool_free(&pool);
}
END_TEST

SUITE("buffer_pool",
      LOOP(buffer_pool_rounds_up_by_at_most_a_quarter, COUNT(sizes)),
      TEST(buffer_pool_reuses_a_kept_buffer),
      TEST(buffer_pool_grow_keeps_the_contents),
      TEST(buffer_pool_reports_lack_of_memory),
      TEST(buffer_pool_serves_many_threads))
