/* Registration: which bytes are mapped, how many at most, and for how long. */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/server/shm/shm_case.h"
#include "tests/unit.h"

UNIT_TEST(shm_maps_the_registered_bytes_at_any_offset)
{
    static const struct {
        uint64_t offset, bytes;
    } parts[] = {{0, SIZE}, {0, 1},    {1, 1},    {4095, 2},    {4096, 4096},
                 {4097, 5}, {8191, 4}, {8192, 1}, {SIZE - 1, 1}};
    struct shm_use use;
    unsigned char *data;

    for (size_t i = 0; i < 9; i++) {
        ck_assert_msg(shm_case_add("r", "a", parts[i].offset, parts[i].bytes),
                      "%s", st.message);
        data = shm_case_use(&use, "r");
        ck_assert_int_eq(memcmp(data, object + parts[i].offset, parts[i].bytes),
                         0);
        data[0] ^= 0x80;
        ck_assert_uint_eq(data[0], object[parts[i].offset]);
        ck_assert_uint_eq(atomic_load(&shm.bytes), parts[i].bytes);
        ck_assert(shm_use_end(&use, &st));
        shm_unregister(&shm, "r");
    }
}

static int count_open_files(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int count = 0;

    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

/* A map needs no descriptor. */
UNIT_TEST(shm_keeps_no_descriptor)
{
    int before = count_open_files();

    ck_assert(shm_case_add("r", "a", 0, 16));
    ck_assert(!shm_case_add("s", "a", 0, SIZE + 1));
    ck_assert(!shm_case_add("s", "none", 0, 1));
    ck_assert_int_eq(count_open_files(), before);
}

UNIT_TEST(shm_refuses_a_name_in_use)
{
    struct shm_use use;
    struct api_shm_part list[SHM_MAX_REGIONS];

    ck_assert(shm_case_add("r", "a", 0, 16));
    ck_assert(!shm_case_add("r", "a", 0, 16));
    shm_case_failed(STATUS_INVALID, "'r' is registered already");
    ck_assert(shm_case_add("s", "a", 8, 16));
    ck_assert_uint_eq(shm_list(&shm, NULL, list), 2);
    ck_assert_uint_eq(shm_list(&shm, "s", list), 1);
    ck_assert_uint_eq(list[0].offset, 8);
    ck_assert_uint_eq(shm_list(&shm, "t", list), 0);
    shm_unregister(&shm, "t");
    shm_unregister(&shm, "r");
    shm_unregister(&shm, "r");
    ck_assert_ptr_null(shm_case_use(&use, "r"));
    ck_assert(shm_use_end(&use, &st));
    ck_assert(shm_case_add("r", "a", 4, 16));
    shm_unregister(&shm, NULL);
    shm_unregister(&shm, NULL);
    ck_assert_uint_eq(shm_list(&shm, NULL, list), 0);
}

/* The key may name another object by now. */
UNIT_TEST(shm_maps_anew_each_time)
{
    struct shm_use use;
    unsigned char *data;
    unsigned char *second;

    ck_assert(shm_case_add("r", "a", 0, 16));
    shm_unregister(&shm, "r");
    second = shm_object_make("a", 16, 99);
    ck_assert(shm_case_add("s", "a", 0, 16));
    data = shm_case_use(&use, "s");
    ck_assert_int_eq(memcmp(data, second, 16), 0);
    ck_assert_uint_eq(data[0], 99);
    ck_assert(shm_use_end(&use, &st));
    munmap(second, 16);
}

UNIT_TEST(shm_stays_mapped_while_it_is_used)
{
    struct shm_use use;
    unsigned char *data;

    ck_assert(shm_case_add("r", "a", 4096, 16));
    data = shm_case_use(&use, "r");
    shm_unregister(&shm, NULL);
    ck_assert_uint_eq(atomic_load(&shm.maps), 1);
    ck_assert_uint_eq(atomic_load(&shm.bytes), 16);
    ck_assert_int_eq(memcmp(data, object + 4096, 16), 0);
    ck_assert(shm_use_end(&use, &st));
    ck_assert_uint_eq(atomic_load(&shm.maps), 0);
}

UNIT_TEST(shm_counts_regions_in_use_too)
{
    struct shm_use use;
    char name[24];

    for (int i = 0; i < SHM_MAX_REGIONS; i++) {
        snprintf(name, sizeof(name), "r%d", i);
        ck_assert(shm_case_add(name, "a", 0, 16));
    }
    ck_assert(!shm_case_add("more", "a", 0, 16));
    shm_case_failed(STATUS_BUSY, "64 regions");
    ck_assert_ptr_nonnull(shm_case_use(&use, "r7"));
    shm_unregister(&shm, "r7");
    ck_assert(!shm_case_add("more", "a", 0, 16));
    ck_assert(shm_use_end(&use, &st));
    ck_assert(shm_case_add("more", "a", 0, 16));
}

UNIT_TEST(shm_bounds_all_bytes_together)
{
    munmap(shm_object_make("large", BUDGET + 1, 0), BUDGET + 1);
    ck_assert(!shm_case_add("r", "large", 0, BUDGET + 1));
    shm_case_failed(STATUS_TOO_LARGE, "may have 1048576");
    ck_assert(shm_case_add("r", "large", 0, BUDGET));
    ck_assert(!shm_case_add("s", "a", 0, 1));
    shm_case_failed(STATUS_BUSY, "unregister some");
    shm_unregister(&shm, "r");
    ck_assert(shm_case_add("r", "large", 1, BUDGET - 1));
    ck_assert(shm_case_add("s", "a", 0, 1));
}

/* A thread finds the other's region absent or complete. */
static void *add_and_remove(void *name)
{
    struct shm_use use;
    unsigned char *data;
    struct status failure;

    for (int i = 0; i < 1000; i++) {
        struct api_shm_part part = shm_object_part(name, "a", 4096, 64);

        if (!shm_register(&shm, &part, &failure) &&
            failure.code != STATUS_INVALID)
            return name;
        data = shm_case_use(&use, i % 2 ? "r" : "s");
        if ((data && memcmp(data, object + 4096, 64) != 0) ||
            !shm_use_end(&use, &failure))
            return name;
        if (i % 3 == 0)
            shm_unregister(&shm, NULL);
        else
            shm_unregister(&shm, name);
    }
    return NULL;
}

UNIT_TEST(shm_registers_in_many_threads)
{
    static char names[2][2] = {"r", "s"};
    pthread_t threads[4];
    void *failed;

    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(
            pthread_create(&threads[i], NULL, add_and_remove, names[i % 2]), 0);
    for (size_t i = 0; i < 4; i++) {
        pthread_join(threads[i], &failed);
        ck_assert_ptr_null(failed);
    }
}

FIXTURE(shm_case_set_up, shm_case_tear_down)
