/* The descriptors of this process. */
#pragma once

#include <check.h>
#include <sys/resource.h>
#include <unistd.h>

/* The descriptor that is opened next; it is closed. */
static inline int next_descriptor(void)
{
    int fd = dup(STDERR_FILENO);

    close(fd);
    return fd;
}

/* From now on the process gets no descriptor more. Returns the limit before. */
static inline struct rlimit use_up_descriptors(void)
{
    struct rlimit before, now;

    getrlimit(RLIMIT_NOFILE, &before);
    now = before;
    now.rlim_cur = (rlim_t)next_descriptor();
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &now), 0);
    return before;
}
