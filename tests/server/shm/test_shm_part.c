/* Registrations that are refused. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/heap_in_use.h"
#include "tests/server/shm/shm_case.h"
#include "tests/unit.h"

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
    ck_assert(!shm_case_add("r", "a", beyond[_i].offset, beyond[_i].bytes));
    if (beyond[_i].bytes > BUDGET)
        shm_case_failed(STATUS_TOO_LARGE, "--max-inflight-bytes");
    else
        shm_case_failed(STATUS_INVALID, "end past the 12288 bytes");
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

LOOP_TEST(shm_refuses_keys_of_another_form, COUNT(bad_keys))
{
    struct api_shm_part part = {.name = "r", .bytes = 1};
    struct shm any;

    ck_assert(shm_init(&any, true, "/", BUDGET, &st));
    strcpy(part.key, bad_keys[_i]);
    ck_assert(!shm_register(&any, &part, &st));
    shm_case_failed(STATUS_INVALID, "key is '");
    shm_case_failed(STATUS_INVALID, "', but it must be a '/' and 1 to 250 ");
    shm_free(&any);
}

static const char *const other_keys[] = {"/etc", "/other", "/flip"};

LOOP_TEST(shm_refuses_keys_without_the_prefix, COUNT(other_keys))
{
    struct api_shm_part part = {.name = "r", .bytes = 1};

    strcpy(part.key, other_keys[_i]);
    ck_assert(!shm_register(&shm, &part, &st));
    shm_case_failed(STATUS_INVALID, "' does not start with '/flipd-'");
}

UNIT_TEST(shm_refuses_a_long_key)
{
    struct api_shm_part part = {.name = "r", .bytes = 1};

    memset(part.key, 'k', 252);
    memcpy(part.key, "/flipd-", 7);
    ck_assert(!shm_register(&shm, &part, &st));
    shm_case_failed(STATUS_INVALID, "1 to 250");
    part.key[251] = '\0';
    ck_assert(!shm_register(&shm, &part, &st));
    shm_case_failed(STATUS_INVALID, "there is no shared memory object");
}

UNIT_TEST(shm_refuses_other_files)
{
    char path[80], target[80], key[SHM_OBJECT_KEY];

    ck_assert(!shm_case_add("r", "missing", 0, 1));
    shm_case_failed(STATUS_INVALID, "there is no shared memory object");
    snprintf(path, sizeof(path), "/dev/shm%s", shm_object_key(key, "folder"));
    ck_assert_int_eq(mkdir(path, 0700), 0);
    ck_assert(!shm_case_add("r", "folder", 0, 1));
    shm_case_failed(STATUS_INVALID, "cannot be opened");
    snprintf(path, sizeof(path), "/dev/shm%s", shm_object_key(key, "fifo"));
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert(!shm_case_add("r", "fifo", 0, 1));
    shm_case_failed(STATUS_INVALID, "is not a shared memory object");
    snprintf(target, sizeof(target), "/dev/shm%s", shm_object_key(key, "a"));
    snprintf(path, sizeof(path), "/dev/shm%s", shm_object_key(key, "link"));
    ck_assert_int_eq(symlink(target, path), 0);
    ck_assert(!shm_case_add("r", "link", 0, 1));
    shm_case_failed(STATUS_INVALID, "cannot be opened");
    munmap(shm_object_make("empty", 1, 0), 1);
    shm_object_cut("empty", 0);
    ck_assert(!shm_case_add("r", "empty", 0, 1));
    shm_case_failed(STATUS_INVALID, "past the 0 bytes");
}

UNIT_TEST(shm_refuses_an_object_without_permission)
{
    char key[SHM_OBJECT_KEY];
    int fd = shm_open(shm_object_key(key, "a"), O_RDWR, 0);

    ck_assert_int_eq(fchmod(fd, 0400), 0);
    close(fd);
    if (geteuid() == 0)
        ck_assert_int_eq(seteuid(65534), 0);
    ck_assert(!shm_case_add("r", "a", 0, 1));
    shm_case_failed(STATUS_INVALID, "may not read and write");
    if (getuid() == 0)
        ck_assert_int_eq(seteuid(0), 0);
}

/* That is not the client's fault. */
UNIT_TEST(shm_without_a_descriptor_asks_to_try_again)
{
    struct rlimit limit, none;
    int next = dup(STDERR_FILENO);

    close(next);
    getrlimit(RLIMIT_NOFILE, &limit);
    none = limit;
    none.rlim_cur = (rlim_t)next;
    setrlimit(RLIMIT_NOFILE, &none);
    ck_assert(!shm_case_add("r", "a", 0, 1));
    setrlimit(RLIMIT_NOFILE, &limit);
    shm_case_failed(STATUS_BUSY, "try again");
    ck_assert(shm_case_add("r", "a", 0, 1));
}

static const char *const bad_prefixes[] = {"", "x", "/a/", "/a b"};

LOOP_TEST(shm_refuses_an_impossible_prefix, COUNT(bad_prefixes))
{
    struct shm other;

    ck_assert(!shm_init(&other, true, bad_prefixes[_i], 1, &st));
    shm_case_failed(STATUS_INVALID, "shm-prefix is");
    ck_assert(shm_init(&other, false, bad_prefixes[_i], 1, &st));
    shm_free(&other);
}

/* With it, a key has place for one letter more. */
UNIT_TEST(shm_refuses_a_long_prefix)
{
    char prefix[252] = "/";
    struct shm other;

    memset(prefix + 1, 'k', 249);
    ck_assert(shm_init(&other, true, prefix, 1, &st));
    shm_free(&other);
    prefix[250] = 'k';
    ck_assert(!shm_init(&other, true, prefix, 1, &st));
    shm_case_failed(STATUS_INVALID, "a '/' and at most 249 letters");
}

UNIT_TEST(shm_refusals_keep_no_memory)
{
    size_t before = 0;

    for (int i = 0; i < 40; i++) {
        if (i == 20)
            before = heap_in_use();
        ck_assert(!shm_case_add("s", "a", 0, SIZE + 1));
        ck_assert(shm_case_add("r", "a", 0, 1));
        shm_unregister(&shm, "r");
    }
    ck_assert_uint_eq(heap_in_use(), before);
}

FIXTURE(shm_case_set_up, shm_case_tear_down)
