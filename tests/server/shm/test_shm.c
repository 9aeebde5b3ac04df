/* Which bytes a registration maps, how many at most, and for how long; those
 * that are refused; objects that become shorter while a request uses them. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/heap_watch.h"
#include "tests/server/descriptors.h"
#include "tests/server/shm_object.h"
#include "tests/unit.h"

enum { SIZE = 3 * 4096, BUDGET = 1 << 20 };

static struct shm shm;
static unsigned char *object; /* the bytes of "a" */
static struct status st;      /* of the last failure */

static void set_up(void)
{
    ck_assert(shm_init(&shm, true, "/flipd-", BUDGET, &st));
    object = shm_object_make("a", SIZE, 1);
}

/* No map and no object may be left behind. */
static void tear_down(void)
{
    munmap(object, SIZE);
    shm_free(&shm);
    ck_assert_uint_eq(atomic_load(&shm.maps), 0);
    ck_assert_uint_eq(atomic_load(&shm.bytes), 0);
    ck_assert(!shm_object_is_mapped());
    shm_object_clean();
}

/* Registers `bytes` of the object `name` as `region`. */
static bool add(const char *region, const char *name, uint64_t offset,
                uint64_t bytes)
{
    struct api_shm_part part = shm_object_part(region, name, offset, bytes);

    return shm_register(&shm, &part, &st);
}

/* The last failure has this code, and `part` in its text. */
static void failed(enum status_code code, const char *part)
{
    ck_assert_msg(st.code == code, "%d: %s", st.code, st.message);
    ck_assert_msg(strstr(st.message, part), "no \"%s\" in: %s", part,
                  st.message);
}

/* Begins a use that finds the region; NULL if it does not. */
static unsigned char *use(struct shm_use *used, const char *region)
{
    const struct api_regions *regions = shm_use_begin(used, &shm);
    struct api_region found;

    return regions->find(regions->context, region, &found) ? found.data : NULL;
}

UNIT_TEST(shm_maps_the_registered_bytes_at_any_offset)
{
    static const struct {
        uint64_t offset, bytes;
    } parts[] = {{0, SIZE}, {0, 1},    {1, 1},    {4095, 2},    {4096, 4096},
                 {4097, 5}, {8191, 4}, {8192, 1}, {SIZE - 1, 1}};
    struct shm_use used;
    unsigned char *data;

    for (size_t i = 0; i < 9; i++) {
        ck_assert_msg(add("r", "a", parts[i].offset, parts[i].bytes), "%s",
                      st.message);
        data = use(&used, "r");
        ck_assert_int_eq(memcmp(data, object + parts[i].offset, parts[i].bytes),
                         0);
        data[0] ^= 0x80;
        ck_assert_uint_eq(data[0], object[parts[i].offset]);
        ck_assert_uint_eq(atomic_load(&shm.bytes), parts[i].bytes);
        ck_assert(shm_use_end(&used, &st));
        shm_unregister(&shm, "r");
    }
}

UNIT_TEST(shm_keeps_no_descriptor)
{
    int before = next_descriptor();

    ck_assert(add("r", "a", 0, 16));
    ck_assert(!add("s", "a", 0, SIZE + 1));
    ck_assert(!add("s", "none", 0, 1));
    ck_assert_int_eq(next_descriptor(), before);
}

UNIT_TEST(shm_refuses_a_name_in_use)
{
    struct shm_use used;
    struct api_shm_part list[SHM_MAX_REGIONS];

    ck_assert(add("r", "a", 0, 16));
    ck_assert(!add("r", "a", 0, 16));
    failed(STATUS_INVALID, "'r' is registered already");
    ck_assert(add("s", "a", 8, 16));
    ck_assert_uint_eq(shm_list(&shm, NULL, list), 2);
    ck_assert_uint_eq(shm_list(&shm, "s", list), 1);
    ck_assert_uint_eq(list[0].offset, 8);
    ck_assert_uint_eq(shm_list(&shm, "t", list), 0);
    shm_unregister(&shm, "t");
    shm_unregister(&shm, "r");
    shm_unregister(&shm, "r");
    ck_assert_ptr_null(use(&used, "r"));
    ck_assert(shm_use_end(&used, &st));
    ck_assert(add("r", "a", 4, 16));
    shm_unregister(&shm, NULL);
    shm_unregister(&shm, NULL);
    ck_assert_uint_eq(shm_list(&shm, NULL, list), 0);
}

/* The key may name another object by now. */
UNIT_TEST(shm_maps_anew_each_time)
{
    struct shm_use used;
    unsigned char *data;
    unsigned char *second;

    ck_assert(add("r", "a", 0, 16));
    shm_unregister(&shm, "r");
    second = shm_object_make("a", 16, 99);
    ck_assert(add("s", "a", 0, 16));
    data = use(&used, "s");
    ck_assert_int_eq(memcmp(data, second, 16), 0);
    ck_assert_uint_eq(data[0], 99);
    ck_assert(shm_use_end(&used, &st));
    munmap(second, 16);
}

UNIT_TEST(shm_stays_mapped_while_it_is_used)
{
    struct shm_use used;
    unsigned char *data;

    ck_assert(add("r", "a", 4096, 16));
    data = use(&used, "r");
    shm_unregister(&shm, NULL);
    ck_assert_uint_eq(atomic_load(&shm.maps), 1);
    ck_assert_uint_eq(atomic_load(&shm.bytes), 16);
    ck_assert_int_eq(memcmp(data, object + 4096, 16), 0);
    ck_assert(shm_use_end(&used, &st));
    ck_assert_uint_eq(atomic_load(&shm.maps), 0);
}

UNIT_TEST(shm_counts_regions_in_use_too)
{
    struct shm_use used;
    char name[24];

    for (int i = 0; i < SHM_MAX_REGIONS; i++) {
        snprintf(name, sizeof(name), "r%d", i);
        ck_assert(add(name, "a", 0, 16));
    }
    ck_assert(!add("more", "a", 0, 16));
    failed(STATUS_BUSY, "64 regions");
    ck_assert_ptr_nonnull(use(&used, "r7"));
    shm_unregister(&shm, "r7");
    ck_assert(!add("more", "a", 0, 16));
    ck_assert(shm_use_end(&used, &st));
    ck_assert(add("more", "a", 0, 16));
}

UNIT_TEST(shm_bounds_all_bytes_together)
{
    munmap(shm_object_make("large", BUDGET + 1, 0), BUDGET + 1);
    ck_assert(!add("r", "large", 0, BUDGET + 1));
    failed(STATUS_TOO_LARGE, "may have 1048576");
    ck_assert(add("r", "large", 0, BUDGET));
    ck_assert(!add("s", "a", 0, 1));
    failed(STATUS_BUSY, "unregister some");
    shm_unregister(&shm, "r");
    ck_assert(add("r", "large", 1, BUDGET - 1));
    ck_assert(add("s", "a", 0, 1));
}

/* A thread finds the other's region absent or complete. */
static void *add_and_remove(void *name)
{
    struct shm_use used;
    unsigned char *data;
    struct status failure;

    for (int i = 0; i < 1000; i++) {
        struct api_shm_part part = shm_object_part(name, "a", 4096, 64);

        if (!shm_register(&shm, &part, &failure) &&
            failure.code != STATUS_INVALID)
            return name;
        data = use(&used, i % 2 ? "r" : "s");
        if ((data && memcmp(data, object + 4096, 64) != 0) ||
            !shm_use_end(&used, &failure))
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

static const struct {
    uint64_t offset, bytes;
} beyond[] = {{0, SIZE + 1},
              {1, SIZE},
              {SIZE, 1},
              {SIZE + 1, 1},
              {1 << 30, 1},
              {INT64_MAX - 8192, 8192},
              {UINT64_MAX - 4095, 8192},
              {4096, UINT64_MAX - 4095}};

LOOP_TEST(shm_refuses_a_part_past_the_object, COUNT(beyond))
{
    ck_assert(!add("r", "a", beyond[_i].offset, beyond[_i].bytes));
    if (beyond[_i].bytes > BUDGET)
        failed(STATUS_TOO_LARGE, "--max-inflight-bytes");
    else
        failed(STATUS_INVALID, "end past the 12288 bytes");
    ck_assert_uint_eq(atomic_load(&shm.maps), 0);
}

/* Keys of another form than the prefix "/" wants. */
static const char *const bad_keys[] = {
    "",
    "flipd-x",
    "/",
    "//flipd-x",
    "/flipd-/x",
    "/flipd-x/",
    "/.",
    "/..",
    "/../shm",
    "/flipd- x",
    "/flipd-%41",
    "/flipd-\n",
    "/flipd-\xC3\xA9",
};

static bool add_key(struct shm *to, const char *key)
{
    struct api_shm_part part = {.name = "r", .bytes = 1};

    strcpy(part.key, key);
    return shm_register(to, &part, &st);
}

LOOP_TEST(shm_refuses_keys_of_another_form, COUNT(bad_keys))
{
    struct shm any;

    ck_assert(shm_init(&any, true, "/", BUDGET, &st));
    ck_assert(!add_key(&any, bad_keys[_i]));
    failed(STATUS_INVALID, "key is '");
    failed(STATUS_INVALID, "', but it must be a '/' and 1 to 250 ");
    shm_free(&any);
}

UNIT_TEST(shm_refuses_keys_without_the_prefix)
{
    static const char *const keys[] = {"/etc", "/other", "/flip"};

    for (int i = 0; i < COUNT(keys); i++) {
        ck_assert(!add_key(&shm, keys[i]));
        failed(STATUS_INVALID, "' does not start with '/flipd-'");
    }
}

UNIT_TEST(shm_refuses_a_long_key)
{
    char key[253] = "";

    memset(key, 'k', 252);
    memcpy(key, "/flipd-", 7);
    ck_assert(!add_key(&shm, key));
    failed(STATUS_INVALID, "1 to 250");
    key[251] = '\0';
    ck_assert(!add_key(&shm, key));
    failed(STATUS_INVALID, "there is no shared memory object");
}

static const char *path_of(const char *name)
{
    static char path[80];
    char key[SHM_OBJECT_KEY];

    snprintf(path, sizeof(path), "/dev/shm%s", shm_object_key(key, name));
    return path;
}

static void refuses(const char *name, const char *reason)
{
    ck_assert(!add("r", name, 0, 1));
    failed(STATUS_INVALID, reason);
}

UNIT_TEST(shm_refuses_other_files)
{
    char target[80];

    refuses("missing", "there is no shared memory object");
    ck_assert_int_eq(mkdir(path_of("folder"), 0700), 0);
    refuses("folder", "cannot be opened");
    ck_assert_int_eq(mkfifo(path_of("fifo"), 0600), 0);
    refuses("fifo", "is not a shared memory object");
    strcpy(target, path_of("a"));
    ck_assert_int_eq(symlink(target, path_of("link")), 0);
    refuses("link", "cannot be opened");
    munmap(shm_object_make("empty", 1, 0), 1);
    shm_object_cut("empty", 0);
    refuses("empty", "past the 0 bytes");
}

UNIT_TEST(shm_refuses_an_object_without_permission)
{
    ck_assert_int_eq(chmod(path_of("a"), 0400), 0);
    if (geteuid() == 0)
        ck_assert_int_eq(seteuid(65534), 0);
    refuses("a", "may not read and write");
    if (getuid() == 0)
        ck_assert_int_eq(seteuid(0), 0);
}

UNIT_TEST(shm_without_a_descriptor_asks_to_try_again)
{
    struct rlimit limit = use_up_descriptors();

    ck_assert(!add("r", "a", 0, 1));
    setrlimit(RLIMIT_NOFILE, &limit);
    failed(STATUS_BUSY, "try again");
    ck_assert(add("r", "a", 0, 1));
}

/* With a prefix, a key has place for one letter more. */
UNIT_TEST(shm_refuses_an_impossible_prefix)
{
    static const char *const bad[] = {"", "x", "/a/", "/a b"};
    char prefix[252] = "/";
    struct shm other;

    for (int i = 0; i < COUNT(bad); i++) {
        ck_assert(!shm_init(&other, true, bad[i], 1, &st));
        failed(STATUS_INVALID, "shm-prefix is");
        ck_assert(shm_init(&other, false, bad[i], 1, &st));
        shm_free(&other);
    }
    memset(prefix + 1, 'k', 249);
    ck_assert(shm_init(&other, true, prefix, 1, &st));
    shm_free(&other);
    prefix[250] = 'k';
    ck_assert(!shm_init(&other, true, prefix, 1, &st));
    failed(STATUS_INVALID, "a '/' and at most 249 letters");
}

UNIT_TEST(shm_refusals_keep_no_memory)
{
    struct heap_watch watch = {.times = 40, .room = 1};

    while (heap_goes_on(&watch)) {
        ck_assert(!add("s", "a", 0, SIZE + 1));
        ck_assert(add("r", "a", 0, 1));
        shm_unregister(&shm, "r");
    }
}

/* Begins a use of "r", all of the object but its first 100 bytes. */
static const struct api_regions *begin(struct shm_use *used)
{
    ck_assert(add("r", "a", 100, SIZE - 100));
    return shm_use_begin(used, &shm);
}

static struct api_region find_region(const struct api_regions *regions,
                                     const char *name)
{
    struct api_region region;

    ck_assert(regions->find(regions->context, name, &region));
    return region;
}

static unsigned char *find(const struct api_regions *regions, const char *name)
{
    return find_region(regions, name).data;
}

static bool is_aliased(const struct api_regions *regions, const char *name)
{
    return find_region(regions, name).is_aliased;
}

UNIT_TEST(use_of_a_whole_region_ends_well)
{
    struct shm_use used;
    const struct api_regions *regions = begin(&used);
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
    const struct api_regions *regions = begin(&used);
    volatile unsigned char *data = find(regions, "r");

    ck_assert(add("s", "a", 0, 4096));
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
    volatile unsigned char *data = find(begin(&used), "r");

    shm_object_cut("a", 4096);
    ck_assert_uint_eq(data[0], object[100]);
    ck_assert(shm_use_end(&used, &st));
}

UNIT_TEST(use_of_a_lost_region_fails_until_registered_again)
{
    struct shm_use used;
    volatile unsigned char *data = find(begin(&used), "r");

    shm_object_cut("a", 4096);
    ck_assert_uint_eq(data[8000], 0);
    ck_assert(!shm_use_end(&used, &st));
    ck_assert_ptr_null(find(shm_use_begin(&used, &shm), "r"));
    ck_assert(shm_use_end(&used, &st));
    ck_assert(add("r", "a", 0, 4096)); /* without unregistering it first */
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
    const struct api_regions *regions = begin(&used);

    munmap(shm_object_make("b", SIZE, 1), SIZE);
    ck_assert(add("s", parts[_i].object, parts[_i].offset, parts[_i].bytes));
    ck_assert(!is_aliased(regions, "r"));
    ck_assert(!is_aliased(regions, "r"));
    ck_assert_int_eq(is_aliased(regions, "s"), parts[_i].is_aliased);
    ck_assert(shm_use_end(&used, &st));
    shm_use_begin(&used, &shm);
    ck_assert(!is_aliased(regions, "s"));
    ck_assert_int_eq(is_aliased(regions, "r"), parts[_i].is_aliased);
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

    ck_assert(add("r", "a", 100, SIZE - 100));
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

    find(begin(&used), "r");
    shm_use_pause(&used);
    shm_object_cut("a", 4096);
    ck_assert_int_eq(pthread_create(&thread, NULL, go_on, &used), 0);
    pthread_join(thread, &ok);
    ck_assert_ptr_nonnull(ok);
}

UNIT_TEST(use_ends_at_the_most_regions)
{
    struct shm_use used;
    const struct api_regions *regions = begin(&used);
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

    ck_assert(add("r", "a", 100, SIZE - 100));
    memset(&used, 0xFF, sizeof(used)); /* what is behind its regions */
    data = use(&used, "r");
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

FIXTURE(set_up, tear_down)
