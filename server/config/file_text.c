#include "server/config/file_text.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

ssize_t file_text_read(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t part;
    size_t len = 0;
    int error;

    text[0] = '\0';
    if (fd < 0)
        return -1;
    while ((part = read(fd, text + len, size - 1 - len)) > 0)
        len += (size_t)part;
    error = errno;
    close(fd);
    errno = error;
    text[len] = '\0';
    return part < 0 ? -1 : (ssize_t)len;
}
