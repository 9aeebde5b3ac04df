#include "tests/server/shm/shm_object.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The PID of the test: a process that it forks uses the same objects. */
static int owner(void)
{
    static pid_t pid;

    if (pid == 0)
        pid = getpid();
    return (int)pid;
}

static void print_prefix(char prefix[SHM_OBJECT_KEY])
{
    snprintf(prefix, SHM_OBJECT_KEY, "flipd-%d-", owner());
}

char *shm_object_key(char key[SHM_OBJECT_KEY], const char *name)
{
    snprintf(key, SHM_OBJECT_KEY, "/flipd-%d-%s", owner(), name);
    return key;
}

unsigned char *shm_object_make(const char *name, size_t size,
                               unsigned char start)
{
    char key[SHM_OBJECT_KEY];
    unsigned char *memory;
    int fd;

    shm_unlink(shm_object_key(key, name));
    fd = shm_open(key, O_RDWR | O_CREAT | O_EXCL, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(ftruncate(fd, (off_t)size), 0);
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ck_assert_ptr_ne(memory, MAP_FAILED);
    close(fd);
    for (size_t i = 0; i < size; i++)
        memory[i] = (unsigned char)(i * 7 + start);
    return memory;
}

void shm_object_cut(const char *name, off_t size)
{
    char key[SHM_OBJECT_KEY];
    int fd = shm_open(shm_object_key(key, name), O_RDWR, 0);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(ftruncate(fd, size), 0);
    close(fd);
}

struct api_shm_part shm_object_part(const char *region, const char *name,
                                    uint64_t offset, uint64_t bytes)
{
    struct api_shm_part part = {.offset = offset, .bytes = bytes};

    snprintf(part.name, sizeof(part.name), "%s", region);
    shm_object_key(part.key, name);
    return part;
}

bool shm_object_is_mapped(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512], prefix[SHM_OBJECT_KEY];
    bool found = false;

    ck_assert_ptr_nonnull(maps);
    print_prefix(prefix);
    while (fgets(line, sizeof(line), maps))
        found |= strstr(line, prefix) != NULL;
    fclose(maps);
    return found;
}

void shm_object_clean(void)
{
    DIR *folder = opendir("/dev/shm");
    char path[300], prefix[SHM_OBJECT_KEY];
    struct dirent *entry;

    ck_assert_ptr_nonnull(folder);
    print_prefix(prefix);
    while ((entry = readdir(folder))) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
            continue;
        snprintf(path, sizeof(path), "/dev/shm/%s", entry->d_name);
        remove(path);
    }
    closedir(folder);
}
