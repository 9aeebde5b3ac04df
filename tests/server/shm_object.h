/* Shared memory objects for tests. */
#pragma once

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "server/shm/shm.h"

enum { SHM_OBJECT_KEY = 64 };

/* The PID of the test: a process that it forks uses the same objects. */
static inline int shm_object_owner(void)
{
    static pid_t pid;

    if (pid == 0)
        pid = getpid();
    return (int)pid;
}

/* Writes the key of an object of this process, "/flipd-PID-name", and returns
 * `key`. */
static inline char *shm_object_key(char key[SHM_OBJECT_KEY], const char *name)
{
    snprintf(key, SHM_OBJECT_KEY, "/flipd-%d-%s", shm_object_owner(), name);
    return key;
}

/* Creates an object of `size` bytes, where byte i is i * 7 + start; an older
 * object of the name is unlinked. Returns its map, for the caller to unmap. */
static inline unsigned char *shm_object_make(const char *name, size_t size,
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

/* Changes the size of the object. */
static inline void shm_object_cut(const char *name, off_t size)
{
    char key[SHM_OBJECT_KEY];
    int fd = shm_open(shm_object_key(key, name), O_RDWR, 0);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(ftruncate(fd, size), 0);
    close(fd);
}

/* The registration of `bytes` of the object, from `offset`, as `region`. */
static inline struct api_shm_part shm_object_part(const char *region,
                                                  const char *name,
                                                  uint64_t offset,
                                                  uint64_t bytes)
{
    struct api_shm_part part = {.offset = offset, .bytes = bytes};

    snprintf(part.name, sizeof(part.name), "%s", region);
    shm_object_key(part.key, name);
    return part;
}

/* True if an object of this process is mapped. */
static inline bool shm_object_is_mapped(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512], prefix[SHM_OBJECT_KEY];
    bool found = false;

    ck_assert_ptr_nonnull(maps);
    shm_object_key(prefix, "");
    while (fgets(line, sizeof(line), maps))
        found |= strstr(line, prefix + 1) != NULL;
    fclose(maps);
    return found;
}

/* Unlinks all objects of this process. */
static inline void shm_object_clean(void)
{
    DIR *folder = opendir("/dev/shm");
    char path[300], prefix[SHM_OBJECT_KEY];
    struct dirent *entry;

    ck_assert_ptr_nonnull(folder);
    shm_object_key(prefix, "");
    while ((entry = readdir(folder))) {
        if (strncmp(entry->d_name, prefix + 1, strlen(prefix) - 1) != 0)
            continue;
        snprintf(path, sizeof(path), "/dev/shm/%s", entry->d_name);
        remove(path);
    }
    closedir(folder);
}
