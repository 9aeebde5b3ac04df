/* Requests whose shared memory is cut short under them. */
#include <check.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/jobs/job.h"
#include "server/shm/use.h"
#include "tests/server/shm/shm_object.h"
#include "tests/server/shm/shm_service.h"
#include "tests/suite.h"

static unsigned char *find(const struct api_regions *regions, const char *name)
{
    struct api_region region;

    ck_assert(regions->find(regions->context, name, &region));
    return region.data;
}

START_TEST(use_of_a_whole_region_ends_well)
{
    struct shm_use use;
    const struct api_regions *regions = shm_use_begin(&use, &context.shm);
    struct api_region region;
    unsigned char *data = find(regions, "r");

    ck_assert_int_eq(memcmp(data, object + 100, SIZE - 100), 0);
    ck_assert(!regions->find(regions->context, "s", &region));
    shm_unregister_all(&context.shm);
    ck_assert_uint_eq(data[5000], object[5100]);
    ck_assert(shm_use_end(&use, &st));
    ck_assert_uint_eq(atomic_load(&context.shm.maps), 0);
}
END_TEST

/* Read and written, at the first byte and the last. */
START_TEST(use_of_a_region_cut_short_fails_at_its_end)
{
    static const size_t places[] = {4096, 9000, SIZE - 101};
    struct shm_use use;
    const struct api_regions *regions = shm_use_begin(&use, &context.shm);
    volatile unsigned char *data = find(regions, "r");

    shm_service_add("s", 0, 4096);
    ck_assert_ptr_nonnull(find(regions, "s"));
    shm_object_cut("a", 4096);
    if (_i >= 3)
        data[places[_i % 3]] = 7;
    ck_assert_uint_eq(data[places[_i % 3]], _i >= 3 ? 7 : 0);
    ck_assert_uint_eq(data[0], 0);
    ck_assert(!shm_use_end(&use, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_ptr_nonnull(strstr(st.message, "region 'r' was cut short"));
}
END_TEST

START_TEST(use_of_what_is_left_of_a_region_goes_on)
{
    struct shm_use use;
    volatile unsigned char *data = find(shm_use_begin(&use, &context.shm), "r");

    shm_object_cut("a", 4096);
    ck_assert_uint_eq(data[0], object[100]);
    ck_assert(shm_use_end(&use, &st));
}
END_TEST

START_TEST(use_of_a_lost_region_is_refused_until_it_comes_anew)
{
    struct shm_use use;
    volatile unsigned char *data = find(shm_use_begin(&use, &context.shm), "r");

    shm_object_cut("a", 4096);
    ck_assert_uint_eq(data[8000], 0);
    ck_assert(!shm_use_end(&use, &st));
    ck_assert_ptr_null(find(shm_use_begin(&use, &context.shm), "r"));
    ck_assert(shm_use_end(&use, &st));
    shm_service_add("r", 0, 4096); /* there is no need to unregister it */
    ck_assert_uint_eq(find(shm_use_begin(&use, &context.shm), "r")[9],
                      object[9]);
    ck_assert(shm_use_end(&use, &st));
    ck_assert_uint_eq(atomic_load(&context.shm.maps), 1);
}
END_TEST

/* The marks of both are set, whoever was first. */
static void *use_it(void *start)
{
    struct shm_use use;
    struct status failure;
    volatile unsigned char *data = find(shm_use_begin(&use, &context.shm), "r");
    unsigned char last;

    pthread_barrier_wait(start); /* both have it */
    pthread_barrier_wait(start); /* it is cut */
    last = data[SIZE - 101];
    return last == 0 && !shm_use_end(&use, &failure) ? &context : NULL;
}

START_TEST(use_by_two_fails_for_both)
{
    pthread_barrier_t start;
    pthread_t threads[2];
    void *ok;

    pthread_barrier_init(&start, NULL, 3);
    for (size_t i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, use_it, &start), 0);
    pthread_barrier_wait(&start);
    shm_object_cut("a", 4096);
    pthread_barrier_wait(&start);
    for (size_t i = 0; i < 2; i++) {
        pthread_join(threads[i], &ok);
        ck_assert_ptr_nonnull(ok);
    }
    pthread_barrier_destroy(&start);
}
END_TEST

START_TEST(use_has_room_for_so_many_regions)
{
    struct shm_use use;
    const struct api_regions *regions = shm_use_begin(&use, &context.shm);
    struct api_region region;

    for (int i = 0; i < API_MAX_FINDS; i++)
        ck_assert_ptr_nonnull(find(regions, "r"));
    ck_assert(!regions->find(regions->context, "r", &region));
    ck_assert(shm_use_end(&use, &st));
}
END_TEST

/* What is not ours ends the process as it always did. */
static void fail_otherwise(int how)
{
    struct shm_use use;

    find(shm_use_begin(&use, &context.shm), "r");
    if (how == 0) { /* another map, though one of ours is in use */
        shm_object_cut("a", 0);
        object[5000] = 1;
    } else if (how == 1) {
        kill(getpid(), SIGBUS);
    } else { /* ours, but of no request */
        struct shm_region *region = shm_hold(&context.shm, "r");

        shm_use_end(&use, &st);
        shm_object_cut("a", 0);
        region->map.data[5000] = 1;
    }
    _exit(0);
}

START_TEST(use_leaves_any_other_fault_alone)
{
    int status;
    pid_t child = fork();

    ck_assert_int_ge(child, 0);
    if (child == 0) {
        int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

        dup2(fd, STDERR_FILENO); /* where a sanitizer would report */
        fail_otherwise(_i);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(!WIFEXITED(status) || WEXITSTATUS(status) != 0, "%d", status);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("shm_use");
    TCase *tc = tcase_create("core");

    tcase_add_checked_fixture(tc, shm_service_set_up, shm_service_tear_down);
    tcase_add_test(tc, use_of_a_whole_region_ends_well);
    tcase_add_loop_test(tc, use_of_a_region_cut_short_fails_at_its_end, 0, 6);
    tcase_add_test(tc, use_of_what_is_left_of_a_region_goes_on);
    tcase_add_test(tc, use_of_a_lost_region_is_refused_until_it_comes_anew);
    tcase_add_test(tc, use_by_two_fails_for_both);
    tcase_add_test(tc, use_has_room_for_so_many_regions);
    tcase_add_loop_test(tc, use_leaves_any_other_fault_alone, 0, 3);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_run(suite);
}
