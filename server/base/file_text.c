#include "server/base/file_text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

ssize_t file_text_read(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int error = fd < 0 ? errno : 0;
    size_t len = 0;

    while (error == 0 && len < size) {
        ssize_t part = read(fd, text + len, size - len);

        if (part == 0)
            break;
        if (part > 0)
            len += (size_t)part;
        else if (errno != EINTR)
            error = errno;
    }
    if (fd >= 0)
        close(fd);
    if (len == size)
        error = EFBIG;
    text[error ? 0 : len] = '\0';
    errno = error;
    return error ? -1 : (ssize_t)len;
}

/* NULs, or the marks of UTF-16 and UTF-32, of which UTF-8 has none. */
static bool check_encoding(const char *text, size_t len, struct status *st)
{
    if (len >= 2 &&
        (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0))
        return status_fail(st, STATUS_INVALID,
                           "it is in UTF-16, but must be in UTF-8");
    return strlen(text) == len ||
           status_fail(st, STATUS_INVALID, "byte %zu of it is a NUL",
                       strlen(text));
}

/* Drops the mark that some editors and shells put in front of UTF-8. */
static ssize_t drop_mark(char *text, ssize_t len)
{
    const size_t mark = strlen(FILE_TEXT_MARK);

    if (strncmp(text, FILE_TEXT_MARK, mark) != 0)
        return len;
    memmove(text, text + mark, (size_t)len - mark + 1);
    return len - (ssize_t)mark;
}

ssize_t file_text_load(const char *path, char *text, size_t limit,
                       struct status *st)
{
    ssize_t len = file_text_read(path, text, FILE_TEXT_ROOM(limit));
    struct stat info;

    if (len < 0 && errno != EFBIG) {
        status_fail(st, STATUS_INVALID, "%s", strerror(errno));
        return -1;
    }
    if (len >= 0 && !check_encoding(text, (size_t)len, st))
        return -1;
    if (len >= 0)
        len = drop_mark(text, len);
    while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
        text[--len] = '\0';
    if (len > 0 && (size_t)len <= limit)
        return len;
    /* A pipe or device has no size. */
    if (len == 0)
        status_fail(st, STATUS_INVALID, "it is empty");
    else if (len > 0 || (stat(path, &info) == 0 && S_ISREG(info.st_mode)))
        status_fail(st, STATUS_INVALID,
                    "it has %lld bytes, but the limit is %zu",
                    len > 0 ? (long long)len : (long long)info.st_size, limit);
    else
        status_fail(st, STATUS_INVALID, "it has more than %zu bytes", limit);
    return -1;
}
