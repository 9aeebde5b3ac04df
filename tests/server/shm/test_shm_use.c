/* Objects that become shorter while a request uses them. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/shm/shm.h"
#include "tests/server/shm/shm_case.h"
#include "tests/unit.h"

static void set_up(void)
{
    shm_case_set_up();
    ck_assert(shm_case_add("r", "a", 100, SIZE - 100));
}

static unsigned char *find(const struct api_regions *regions, const char *name)
{
    struct api_region region;

    ck_assert(regions->find(regions->context, name, &region));
    return region.data;
}

UNIT_TEST(use_of_a_whole_region_ends_well)
{
    struct shm_use used;
    const struct api_regions *regions = shm_use_begin(&used, &shm);
    struct api_region region;
    unsigned char *data = find(regions, "r");

    ck_assert_int_eq(memcmp(data, object + 100, SIZE - 100), 0);
    ck_assert(!regions->find(regions->context, "s", &region));
    shm_unregister(&shm, NULL);
    ck_assert_uint_eq(data[5000], object[5100]);
    ck_assert(shm_use_end(&used, &st));
    ck_assert_uint_eq(atomic_load(&shm.maps), 0);
}

/* A read and a write each, at the first lost byte and at the last. */
LOOP_TEST(use_of_a_shortened_region_fails_at_the_end, 6)
{
    static const size_t offsets[] = {4096, 9000, SIZE - 101};
    struct shm_use used;
    const struct api_regions *regions = shm_use_begin(&used, &shm);
    volatile unsigned char *data = find(regions, "r");

    ck_assert(shm_case_add("s", "a", 0, 4096));
    ck_assert_ptr_nonnull(find(regions, "s"));
    shm_object_cut("a", 4096);
    if (_i >= 3)
        data[offsets[_i % 3]] = 7;
    ck_assert_uint_eq(data[offsets[_i % 3]], _i >= 3 ? 7 : 0);
    ck_assert_uint_eq(data[0], 0);
    ck_assert(!shm_use_end(&used, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_ptr_nonnull(strstr(st.message, "region 'r' was cut short"));
}

UNIT_TEST(use_of_the_rest_of_a_region_succeeds)
{
    struct shm_use used;
    volatile unsigned char *data = find(shm_use_begin(&used, &shm), "r");

    shm_object_cut("a", 4096);
    ck_assert_uint_eq(data[0], object[100]);
    ck_assert(shm_use_end(&used, &st));
}

UNIT_TEST(use_of_a_lost_region_fails_until_registered_again)
{
    struct shm_use used;
    volatile unsigned char *data = find(shm_use_begin(&used, &shm), "r");

    shm_object_cut("a", 4096);
    ck_assert_uint_eq(data[8000], 0);
    ck_assert(!shm_use_end(&used, &st));
    ck_assert_ptr_null(find(shm_use_begin(&used, &shm), "r"));
    ck_assert(shm_use_end(&used, &st));
    ck_assert(
        shm_case_add("r", "a", 0, 4096)); /* without unregistering it first */
    data = find(shm_use_begin(&used, &shm), "r");
    ck_assert_uint_eq(data[9], object[9]);
    ck_assert(shm_use_end(&used, &st));
    ck_assert_uint_eq(atomic_load(&shm.maps), 1);
    shm_use_begin(&used, &shm);
    data = find(&used.finder, "r");
    shm_object_cut("a", 0); /* a second loss in this process */
    ck_assert_uint_eq(data[9], 0);
    ck_assert(!shm_use_end(&used, &st));
}

/* "r" is all of the object but its first 100 bytes. */
LOOP_TEST(use_tells_of_bytes_in_two_regions, 5)
{
    static const struct {
        const char *object;
        uint64_t offset, bytes;
        bool is_aliased;
    } parts[] = {{"a", 0, 100, false},
                 {"a", 0, 101, true},
                 {"a", SIZE - 1, 1, true},
                 {"a", 100, SIZE - 100, true},
                 {"b", 0, SIZE, false}};
    struct shm_use used;
    const struct api_regions *regions = shm_use_begin(&used, &shm);
    struct api_region found;

    munmap(shm_object_make("b", SIZE, 1), SIZE);
    ck_assert(
        shm_case_add("s", parts[_i].object, parts[_i].offset, parts[_i].bytes));
    ck_assert(regions->find(regions->context, "r", &found));
    ck_assert(!found.is_aliased);
    ck_assert(regions->find(regions->context, "r", &found));
    ck_assert(!found.is_aliased);
    ck_assert(regions->find(regions->context, "s", &found));
    ck_assert_int_eq(found.is_aliased, parts[_i].is_aliased);
    ck_assert(shm_use_end(&used, &st));
    shm_use_begin(&used, &shm);
    ck_assert(regions->find(regions->context, "s", &found));
    ck_assert(!found.is_aliased);
    ck_assert(regions->find(regions->context, "r", &found));
    ck_assert_int_eq(found.is_aliased, parts[_i].is_aliased);
    ck_assert(shm_use_end(&used, &st));
}

/* Both threads find the region lost, whichever faulted first. */
static void *use_it(void *start)
{
    struct shm_use used;
    struct status failure;
    volatile unsigned char *data = find(shm_use_begin(&used, &shm), "r");
    unsigned char last;

    pthread_barrier_wait(start); /* both use the region */
    pthread_barrier_wait(start); /* the object is shortened */
    last = data[SIZE - 101];
    return last == 0 && !shm_use_end(&used, &failure) ? start : NULL;
}

UNIT_TEST(use_by_two_fails_for_both)
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

static void *go_on(void *context)
{
    struct shm_use *used = context;
    volatile unsigned char *data = used->regions[0]->data;
    struct status failure;

    shm_use_resume(used);
    return data[SIZE - 101] == 0 && !shm_use_end(used, &failure) ? used : NULL;
}

UNIT_TEST(use_may_go_on_in_another_thread)
{
    struct shm_use used;
    pthread_t thread;
    void *ok;

    find(shm_use_begin(&used, &shm), "r");
    shm_use_pause(&used);
    shm_object_cut("a", 4096);
    ck_assert_int_eq(pthread_create(&thread, NULL, go_on, &used), 0);
    pthread_join(thread, &ok);
    ck_assert_ptr_nonnull(ok);
}

UNIT_TEST(use_ends_at_the_most_regions)
{
    struct shm_use used;
    const struct api_regions *regions = shm_use_begin(&used, &shm);
    struct api_region region;

    for (int i = 0; i < API_MAX_FINDS; i++)
        ck_assert_ptr_nonnull(find(regions, "r"));
    ck_assert(!regions->find(regions->context, "r", &region));
    ck_assert(shm_use_end(&used, &st));
}

static void leave(int number)
{
    _exit(number == SIGBUS ? 7 : 1);
}

/* Other faults end the process, as without the handler. */
static void fail_otherwise(int how)
{
    struct shm_use used;
    unsigned char *data;
    struct shm other;

    memset(&used, 0xFF, sizeof(used)); /* what is behind its regions */
    data = shm_case_use(&used, "r");
    if (how == 0) { /* another map, while a region is in use */
        shm_object_cut("a", 0);
        object[5000] = 1;
    } else if (how == 1) {
        kill(getpid(), SIGBUS);
    } else if (how == 2) { /* a request that is in no thread */
        shm_use_pause(&used);
        shm_object_cut("a", 0);
        data[5000] = 1;
    } else if (how == 3) { /* with a handler of the process's own */
        signal(SIGBUS, leave);
        for (int i = 0; i < 2; i++)
            shm_init(&other, true, "/", 1, &st);
        kill(getpid(), SIGBUS);
    } else { /* a region that no request uses */
        shm_use_end(&used, &st);
        shm_object_cut("a", 0);
        data[5000] = 1;
    }
    _exit(0);
}

LOOP_TEST(use_leaves_any_other_fault_alone, 5)
{
    int status;
    pid_t child = fork();

    ck_assert_int_ge(child, 0);
    if (child == 0) {
        int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

        dup2(fd, STDERR_FILENO); /* hides a sanitizer's report */
        fail_otherwise(_i);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(!WIFEXITED(status) || WEXITSTATUS(status) != 0, "%d", status);
    ck_assert_int_eq(WIFEXITED(status) && WEXITSTATUS(status) == 7, _i == 3);
    if (WIFSIGNALED(status)) /* a sanitizer exits */
        ck_assert_int_eq(WTERMSIG(status), SIGBUS);
}

FIXTURE(set_up, shm_case_tear_down)
