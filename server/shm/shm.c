#include "server/shm/shm.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "api/api.h"
#include "kernels/core/require.h"

enum { MAX_KEY = 250 }; /* characters after the '/' */

static const char key_characters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

/* Names the fault as far as clients can correct it, and no system details. */
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

static bool check_object(struct shm_region *region, int fd, struct status *st)
{
    const struct api_shm_part *part = &region->part;
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
    region->device = info.st_dev;
    region->inode = info.st_ino;
    return true;
}

/* Opens the object and maps the part for reading and writing, without touching
 * a page. INVALID when the object does not exist, is not a regular file or ends
 * before the part does; NO_MEMORY. */
static bool open_map(struct shm_region *region, struct status *st)
{
    const struct api_shm_part *part = &region->part;
    /* A map must start at the start of a page. */
    size_t skipped = (size_t)part->offset % (size_t)sysconf(_SC_PAGESIZE);
    /* O_NONBLOCK: a FIFO must not block; O_NOFOLLOW: no link to elsewhere. */
    int fd =
        shm_open(part->key, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0);

    if (fd < 0)
        return refuse_open(part->key, errno, st);
    if (!check_object(region, fd, st)) {
        close(fd);
        return false;
    }
    region->len = skipped + (size_t)part->bytes;
    region->start = mmap(NULL, region->len, PROT_READ | PROT_WRITE, MAP_SHARED,
                         fd, (off_t)(part->offset - skipped));
    close(fd);
    if (region->start == MAP_FAILED)
        return status_fail(st, STATUS_NO_MEMORY,
                           "no address space for %llu bytes of shared memory",
                           (unsigned long long)part->bytes);
    region->data = (unsigned char *)region->start + skipped;
    return true;
}

/* The handler. */

_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "set by a signal handler");

/* Without this model the first access in a thread may allocate memory, which a
 * signal handler must not. */
static _Thread_local const struct shm_use *current
    __attribute__((tls_model("initial-exec")));
static struct sigaction previous; /* handler of SIGBUS before on_bus_error() */

/* The region that contains the address, of those that this thread uses. */
static struct shm_region *find_address(const void *address)
{
    const struct shm_use *use = current;
    uintptr_t at = (uintptr_t)address;

    for (int i = 0; use && i < use->count; i++) {
        struct shm_region *region = use->regions[i];

        if (at - (uintptr_t)region->start < region->len)
            return region;
    }
    return NULL;
}

/* Replaces the whole map by zeros. Async-signal-safe: it makes one system call.
 * False when the kernel refuses. */
static bool replace_map(const struct shm_region *region)
{
    /* Not mmap(): the sanitizers replace it, and theirs may not be called in a
     * signal handler. */
    long at = syscall(
        SYS_mmap, region->start, region->len, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0L);

    return at == (long)region->start;
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    int error = errno;
    struct shm_region *region =
        info->si_code == BUS_ADRERR ? find_address(info->si_addr) : NULL;

    (void)context;
    if (region)
        atomic_store(&region->lost, true);
    if (!region || !replace_map(region)) {
        sigaction(SIGBUS, &previous, NULL);
        /* A fault repeats by itself; a signal sent by kill() does not. */
        if (info->si_code <= 0)
            raise(number);
    }
    errno = error;
}

/* Once in a process. */
static void install_handler(void)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO}, now;

    action.sa_sigaction = on_bus_error;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &now);
    if (now.sa_sigaction != on_bus_error)
        previous = now;
}

/* The registry. */

bool shm_init(struct shm *shm, bool enabled, const char *prefix,
              size_t bytes_limit, struct status *st)
{
    *shm = (struct shm){
        .enabled = enabled, .prefix = prefix, .bytes_limit = bytes_limit};
    pthread_mutex_init(&shm->lock, NULL);
    if (!enabled)
        return true;
    if (*prefix != '/' || strlen(prefix) > MAX_KEY ||
        prefix[1 + strspn(prefix + 1, key_characters)] != '\0')
        return status_fail(st, STATUS_INVALID,
                           "--shm-prefix is '%.40s', but it must be a '/' and "
                           "at most %d letters, digits, '.', '_' and '-'",
                           prefix, MAX_KEY - 1);
    install_handler();
    return true;
}

static void unref(struct shm *shm, struct shm_region *region)
{
    unsigned refs = atomic_fetch_sub(&region->refs, 1);

    REQUIRE(refs > 0);
    if (refs > 1)
        return;
    munmap(region->start, region->len);
    atomic_fetch_sub(&shm->bytes, (size_t)region->part.bytes);
    atomic_fetch_sub(&shm->maps, 1);
    free(region);
}

static bool check_key(const struct shm *shm, const char *key, struct status *st)
{
    const char *name = key + 1;

    if (*key != '/' || *name == '\0' || strlen(name) > MAX_KEY ||
        name[strspn(name, key_characters)] != '\0' || !strcmp(name, ".") ||
        !strcmp(name, ".."))
        return status_fail(st, STATUS_INVALID,
                           "key is '%.64s', but it must be a '/' and 1 to %d "
                           "letters, digits, '.', '_' and '-'",
                           key, MAX_KEY);
    return strncmp(key, shm->prefix, strlen(shm->prefix)) == 0 ||
           status_fail(st, STATUS_INVALID,
                       "key '%.64s' does not start with '%s', as this server "
                       "requires (--shm-prefix)",
                       key, shm->prefix);
}

static size_t find(const struct shm *shm, const char *name)
{
    size_t at = 0;

    while (at < shm->count && strcmp(shm->regions[at]->part.name, name) != 0)
        at++;
    return at;
}

/* Removes a region from the list; its reference becomes the caller's. */
static struct shm_region *remove_at(struct shm *shm, size_t at)
{
    struct shm_region *region = shm->regions[at];

    shm->regions[at] = shm->regions[--shm->count];
    return region;
}

static bool check_limits(const struct shm *shm, uint64_t bytes,
                         struct status *st)
{
    size_t now = atomic_load(&shm->bytes);

    if (bytes > shm->bytes_limit)
        return status_fail(st, STATUS_TOO_LARGE,
                           "byte_size is %llu, but all regions together may "
                           "have %zu (--max-inflight-bytes)",
                           (unsigned long long)bytes, shm->bytes_limit);
    if (now > shm->bytes_limit - bytes)
        return status_fail(st, STATUS_BUSY,
                           "byte_size is %llu, but the other regions have %zu "
                           "of at most %zu: unregister some",
                           (unsigned long long)bytes, now, shm->bytes_limit);
    return atomic_load(&shm->maps) < SHM_MAX_REGIONS ||
           status_fail(st, STATUS_BUSY,
                       "there are %d regions, which is the maximum: "
                       "unregister some",
                       SHM_MAX_REGIONS);
}

/* The lock is held. A lost region of this name is replaced: `old` is then that
 * region, whose reference becomes the caller's. */
static bool add(struct shm *shm, const struct api_shm_part *part,
                struct shm_region **old, struct status *st)
{
    size_t at = find(shm, part->name);
    struct shm_region *region;

    if (at < shm->count && !atomic_load(&shm->regions[at]->lost))
        return status_fail(st, STATUS_INVALID,
                           "the shared memory region '%.64s' is registered "
                           "already: unregister it first",
                           part->name);
    if (!check_limits(shm, part->bytes, st))
        return false;
    region = malloc(sizeof(*region));
    if (!region)
        return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    *region = (struct shm_region){.part = *part, .refs = 1};
    if (!open_map(region, st)) {
        free(region);
        return false;
    }
    atomic_fetch_add(&shm->maps, 1);
    atomic_fetch_add(&shm->bytes, (size_t)part->bytes);
    if (at < shm->count)
        *old = remove_at(shm, at);
    REQUIRE_WITH(shm->count < SHM_MAX_REGIONS, "%zu", shm->count);
    shm->regions[shm->count++] = region;
    return true;
}

bool shm_register(struct shm *shm, const struct api_shm_part *part,
                  struct status *st)
{
    struct shm_region *old = NULL;
    bool ok;

    if (!check_key(shm, part->key, st))
        return false;
    pthread_mutex_lock(&shm->lock);
    ok = add(shm, part, &old, st);
    pthread_mutex_unlock(&shm->lock);
    if (old) /* without the lock: munmap() may take long */
        unref(shm, old);
    return ok;
}

void shm_unregister(struct shm *shm, const char *name)
{
    struct shm_region *removed[SHM_MAX_REGIONS];
    size_t count = 0;

    pthread_mutex_lock(&shm->lock);
    for (size_t i = shm->count; i-- > 0;)
        if (!name || strcmp(shm->regions[i]->part.name, name) == 0)
            removed[count++] = remove_at(shm, i);
    pthread_mutex_unlock(&shm->lock);
    for (size_t i = 0; i < count; i++)
        unref(shm, removed[i]);
}

size_t shm_list(struct shm *shm, const char *name,
                struct api_shm_part list[SHM_MAX_REGIONS])
{
    size_t count = 0;

    pthread_mutex_lock(&shm->lock);
    for (size_t i = 0; i < shm->count; i++)
        if (!name || strcmp(shm->regions[i]->part.name, name) == 0)
            list[count++] = shm->regions[i]->part;
    pthread_mutex_unlock(&shm->lock);
    return count;
}

void shm_free(struct shm *shm)
{
    shm_unregister(shm, NULL);
    pthread_mutex_destroy(&shm->lock);
}

/* The use by one request. */

/* True if the region shares bytes with another of the request: each
 * registration has a map of its own. */
static bool is_aliased(const struct shm_use *use,
                       const struct shm_region *region)
{
    const struct api_shm_part *b = &region->part;

    for (int i = 0; i < use->count; i++) {
        const struct shm_region *other = use->regions[i];
        const struct api_shm_part *a = &other->part;

        if (other != region && other->device == region->device &&
            other->inode == region->inode && a->offset < b->offset + b->bytes &&
            b->offset < a->offset + a->bytes)
            return true;
    }
    return false;
}

static bool find_region(void *context, const char *name,
                        struct api_region *found)
{
    struct shm_use *use = context;
    struct shm_region *region = NULL;
    struct shm *shm = use->shm;
    size_t at;

    if (use->count == API_MAX_FINDS)
        return false;
    pthread_mutex_lock(&shm->lock);
    at = find(shm, name);
    if (at < shm->count) {
        region = shm->regions[at];
        atomic_fetch_add(&region->refs, 1);
    }
    pthread_mutex_unlock(&shm->lock);
    if (!region)
        return false;
    *found = (struct api_region){.size = (size_t)region->part.bytes};
    if (atomic_load(&region->lost)) {
        unref(shm, region);
        return true;
    }
    found->data = region->data;
    found->is_aliased = is_aliased(use, region);
    use->regions[use->count] = region;
    use->count++;
    /* The handler runs in this thread: it must see the entry before the first
     * access to the map. */
    atomic_signal_fence(memory_order_seq_cst);
    return true;
}

const struct api_regions *shm_use_begin(struct shm_use *use, struct shm *shm)
{
    use->shm = shm->enabled ? shm : NULL;
    if (!use->shm)
        return NULL;
    use->finder = (struct api_regions){find_region, use};
    use->count = 0;
    current = use;
    return &use->finder;
}

void shm_use_pause(const struct shm_use *use)
{
    if (use->shm)
        current = NULL;
}

void shm_use_resume(const struct shm_use *use)
{
    if (use->shm)
        current = use;
}

bool shm_use_end(struct shm_use *use, struct status *st)
{
    bool ok = true;

    if (!use->shm)
        return true;
    current = NULL;
    for (int i = 0; i < use->count; i++) {
        struct shm_region *region = use->regions[i];

        if (atomic_load(&region->lost))
            ok = status_fail(st, STATUS_INVALID,
                             "the shared memory region '%.64s' was cut short "
                             "or ran out of memory while it was used: register "
                             "it again",
                             region->part.name);
        unref(use->shm, region);
    }
    return ok;
}

bool shm_may_be_large(const struct shm *shm, const struct api_request *request,
                      size_t limit)
{
    if (!shm->enabled || atomic_load(&shm->bytes) <= limit)
        return false;
    return !request || api_may_use_shm(request);
}
