#include "server/shm/map.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Names the fault as far as the client can correct it, and no system details.
 */
static bool refuse_open(const char *key, int error, struct status *st)
{
    if (error == ENOENT)
        return status_fail(st, STATUS_INVALID,
                           "there is no shared memory object '%s'", key);
    if (error == EACCES || error == EPERM || error == EROFS)
        return status_fail(st, STATUS_INVALID,
                           "the server may not read and write the shared "
                           "memory object '%s'",
                           key);
    if (error == EMFILE || error == ENFILE || error == ENOMEM)
        return status_fail(st, STATUS_BUSY,
                           "no descriptor or memory for it: try again");
    return status_fail(st, STATUS_INVALID,
                       "'%s' cannot be opened as a shared memory object", key);
}

static bool check_object(const struct api_shm_part *part, int fd,
                         struct shm_map *map, struct status *st)
{
    struct stat info;

    if (fstat(fd, &info) != 0)
        return refuse_open(part->key, errno, st);
    if (!S_ISREG(info.st_mode))
        return status_fail(st, STATUS_INVALID,
                           "'%s' is not a shared memory object", part->key);
    if ((uint64_t)info.st_size < part->offset ||
        (uint64_t)info.st_size - part->offset < part->bytes)
        return status_fail(st, STATUS_INVALID,
                           "offset %llu and byte_size %llu end past the %llu "
                           "bytes of the shared memory object '%.64s'",
                           (unsigned long long)part->offset,
                           (unsigned long long)part->bytes,
                           (unsigned long long)info.st_size, part->key);
    map->device = info.st_dev;
    map->inode = info.st_ino;
    return true;
}

/* A map must start at the start of a page. */
static bool map_part(const struct api_shm_part *part, int fd,
                     struct shm_map *map, struct status *st)
{
    size_t skipped = (size_t)part->offset % (size_t)sysconf(_SC_PAGESIZE);

    map->len = skipped + (size_t)part->bytes;
    map->start = mmap(NULL, map->len, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                      (off_t)(part->offset - skipped));
    if (map->start == MAP_FAILED)
        return status_fail(st, STATUS_NO_MEMORY,
                           "no address space for %llu bytes of shared memory",
                           (unsigned long long)part->bytes);
    map->data = (unsigned char *)map->start + skipped;
    return true;
}

bool shm_map_open(const struct api_shm_part *part, struct shm_map *map,
                  struct status *st)
{
    /* O_NONBLOCK: a FIFO must not block; O_NOFOLLOW: no link to elsewhere. */
    int fd =
        shm_open(part->key, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0);
    bool ok;

    if (fd < 0)
        return refuse_open(part->key, errno, st);
    ok = check_object(part, fd, map, st) && map_part(part, fd, map, st);
    close(fd);
    return ok;
}

void shm_map_close(struct shm_map *map)
{
    munmap(map->start, map->len);
}

bool shm_map_replace(const struct shm_map *map)
{
    /* Not mmap(): the sanitizers replace it, and theirs may not be called in a
     * signal handler. */
    long at = syscall(SYS_mmap, map->start, map->len, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE,
                      -1, 0L);

    return at == (long)map->start;
}
