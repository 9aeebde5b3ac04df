/* The kernel's buffers of a connection's socket. Left alone they grow to 4 MiB
 * and 6 MiB or more, which nobody counts. So they are narrow, and each may grow
 * only for a large body or reply, when what the kernel may hold then has been
 * leased: a narrow window costs a sixth of the throughput even where the client
 * is near. Where the lease does not fit they stay narrow. Loop thread only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum {
    /* Bytes of one body or reply from which on the buffers may grow. Below, two
     * system calls cost more than they save. */
    SOCKET_BUFFERS_LARGE = 128 << 10,
};

struct socket_buffers_setup {
    /* Values for SO_SNDBUF and SO_RCVBUF, of which the kernel takes the double;
     * 0: the buffers are left alone. */
    int send, receive;
    /* Bytes that the kernel lets them grow to. */
    size_t send_most, receive_most;
    /* Leases bytes; false: they do not fit. */
    bool (*take)(void *context, size_t bytes);
    void (*give)(void *context, size_t bytes);
    void *context; /* borrowed */
};

struct socket_buffers {
    const struct socket_buffers_setup *setup; /* borrowed */
    int fd;                                   /* borrowed */
    bool send_wide, receive_wide;
    size_t send_leased, receive_leased; /* bytes; they last until the kernel has
                                         * none of them any more */
};

/* Reads the system's limits into `send_most` and `receive_most`; what it does
 * not tell is SIZE_MAX, which no lease has. */
void socket_buffers_read_most(struct socket_buffers_setup *setup);

/* Makes the buffers of a new connection narrow. */
void socket_buffers_init(struct socket_buffers *buffers, int fd,
                         const struct socket_buffers_setup *setup);

/* To be called before a reply of `len` bytes: lets the send buffer grow for a
 * large one, makes it narrow for another. */
void socket_buffers_send(struct socket_buffers *buffers, size_t len);

/* Lets the receive buffer grow; does nothing when it may. */
void socket_buffers_receive(struct socket_buffers *buffers);

/* Make them narrow again. A lease is given back once the kernel holds no more
 * than a narrow buffer does. They cost nothing when there is nothing to do. */
void socket_buffers_narrow_receive(struct socket_buffers *buffers);
void socket_buffers_narrow(struct socket_buffers *buffers);

/* Bytes in one of a socket's queues, SIOCINQ or SIOCOUTQ; 0 when the system
 * does not tell. */
size_t socket_buffers_queued(int fd, unsigned long which);

/* Gives all leases back: the socket is being closed, and the kernel keeps
 * nothing of it. */
void socket_buffers_free(struct socket_buffers *buffers);
