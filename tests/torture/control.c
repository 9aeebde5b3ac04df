#include "tests/torture/control.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct torture_control *_Atomic control;

/* By system calls, for the functions of the C library are hidden. */
__attribute__((constructor)) static void map_control(void)
{
    const char *path = getenv("TORTURE_CONTROL");
    long fd =
        path ? syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0) : -1;
    long place;

    if (fd < 0)
        return;
    place = syscall(SYS_mmap, NULL, sizeof(*control), PROT_READ | PROT_WRITE,
                    MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    if (place != -1)
        control = (struct torture_control *)place;
}

static unsigned length(const int errors[])
{
    unsigned count = 0;

    while (errors[count])
        count++;
    return count;
}

/* Notes the stack of a call of the class that is looked at, from one place
 * only: its own address is part of the stack. */
static void note_stack(struct torture_control *c, unsigned number)
{
    if (c->first == number)
        number = 1;
    else if (c->first != 0 || number > TORTURE_STACKS)
        return;
    c->stacks[number - 1] = torture_stack();
}

bool torture_fails(enum torture_class class, const char *name,
                   const int errors[])
{
    struct torture_control *c = control;
    unsigned number, variants;

    if (!c || atomic_load(&c->failing) != class)
        return false;
    number = atomic_fetch_add(&c->calls, 1) + 1;
    note_stack(c, number);
    if (c->first == 0 || number < c->first || number - c->first >= c->count)
        return false;
    variants = length(errors);
    snprintf(c->name, sizeof(c->name), "%s", name);
    atomic_store(&c->variants, variants);
    atomic_fetch_add(&c->failed, 1);
    errno = errors[c->variant % variants];
    return true;
}

void *torture_next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}
