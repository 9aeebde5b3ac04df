/* The kernel's buffers of a connection's socket. Left alone they grow to 4 MiB
 * and 32 MiB, which nobody counts. So they are narrow, and may grow only while
 * a large body or reply is on its way, whose memory is leased: a narrow window
 * would cost throughput. Loop thread only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum {
    /* Bytes of one body or reply from which on the buffers may grow. Below, two
     * system calls cost more than they save. */
    SOCKET_BUFFERS_LARGE = 128 << 10,
};

/* Values for SO_SNDBUF and SO_RCVBUF, of which the kernel takes the double;
 * 0: the buffers are left alone. */
struct socket_buffers_sizes {
    int send, receive;
};

struct socket_buffers {
    const struct socket_buffers_sizes *sizes; /* borrowed */
    int fd;                                   /* borrowed */
    bool wide;
};

/* Makes the buffers of a new connection narrow. */
void socket_buffers_init(struct socket_buffers *buffers, int fd,
                         const struct socket_buffers_sizes *sizes);

/* Lets them grow; does nothing when they may. */
void socket_buffers_widen(struct socket_buffers *buffers);

/* Makes them narrow again; does nothing when they are. */
void socket_buffers_narrow(struct socket_buffers *buffers);
