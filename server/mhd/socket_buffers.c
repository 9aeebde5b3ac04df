#include "server/mhd/socket_buffers.h"

#include <sys/socket.h>

#ifndef SO_BUF_LOCK
#define SO_BUF_LOCK 72 /* Linux 5.14 */
#endif

enum { WIDE = 4 << 20 }; /* for kernels before; they reduce it to their limit */

static void set(int fd, int option, int value)
{
    setsockopt(fd, SOL_SOCKET, option, &value, sizeof(value));
}

static void lock(struct socket_buffers *buffers)
{
    buffers->wide = false;
    set(buffers->fd, SO_SNDBUF, buffers->sizes->send);
    set(buffers->fd, SO_RCVBUF, buffers->sizes->receive);
}

void socket_buffers_init(struct socket_buffers *buffers, int fd,
                         const struct socket_buffers_sizes *sizes)
{
    *buffers = (struct socket_buffers){.sizes = sizes, .fd = fd, .wide = true};
    socket_buffers_narrow(buffers);
}

/* Without the locks the kernel sizes the buffers itself, as at first. */
void socket_buffers_widen(struct socket_buffers *buffers)
{
    int locks = 0;

    if (buffers->wide)
        return;
    buffers->wide = true;
    if (setsockopt(buffers->fd, SOL_SOCKET, SO_BUF_LOCK, &locks,
                   sizeof(locks)) == 0)
        return;
    set(buffers->fd, SO_SNDBUF, WIDE);
    set(buffers->fd, SO_RCVBUF, WIDE);
}

void socket_buffers_narrow(struct socket_buffers *buffers)
{
    if (buffers->wide && buffers->sizes->send > 0)
        lock(buffers);
}
