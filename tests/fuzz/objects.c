#include "tests/fuzz/objects.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/expect.h"

const char *const object_names[OBJECT_COUNT] = {"/a", "/b", "/c"};

static int fds[OBJECT_COUNT]; /* 0: not made yet */
static unsigned char *maps[OBJECT_COUNT];
static unsigned char firsts[OBJECT_COUNT][OBJECT_BYTES];
static bool changed = true;

unsigned char object_byte(int object, uint64_t at)
{
    return (unsigned char)(at * 31 + at / 251 + (uint64_t)object);
}

unsigned char *object_bytes(int object)
{
    return maps[object];
}

static void make(int object)
{
    fds[object] = memfd_create("object", MFD_CLOEXEC);
    EXPECT(fds[object] > 0 && ftruncate(fds[object], OBJECT_BYTES) == 0);
    maps[object] = mmap(NULL, OBJECT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                        fds[object], 0);
    EXPECT(maps[object] != MAP_FAILED);
    for (uint64_t at = 0; at < OBJECT_BYTES; at++)
        firsts[object][at] = object_byte(object, at);
}

void objects_reset(void)
{
    if (!changed)
        return;
    changed = false;
    for (int i = 0; i < OBJECT_COUNT; i++) {
        if (fds[i] == 0)
            make(i);
        EXPECT(ftruncate(fds[i], OBJECT_BYTES) == 0);
        memcpy(maps[i], firsts[i], OBJECT_BYTES);
    }
}

void objects_cut(int object, int64_t bytes)
{
    changed = true;
    EXPECT(ftruncate(fds[object], bytes) == 0);
}

int shm_open(const char *name, int flags, mode_t mode)
{
    (void)flags;
    (void)mode;
    changed = true;
    if (strcmp(name, "/folder") == 0)
        return open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < OBJECT_COUNT; i++)
        if (strcmp(name, object_names[i]) == 0)
            return fcntl(fds[i], F_DUPFD_CLOEXEC, 0);
    errno = strcmp(name, "/private") == 0 ? EACCES : ENOENT;
    return -1;
}
