/* The kernel's buffers of a connection's socket. By default they grow to 4 MiB
 * and 6 MiB or more, which no limit counts. So they are narrow, and each may
 * grow only for a large body or reply, once the kernel's most bytes for it are
 * leased: a narrow window costs a sixth of the throughput even where the client
 * is near. Where the lease does not fit they stay narrow.
 *
 * A body that is dropped, and one for which there is no lease of all that the
 * kernel may take, has a window of 512 KiB: each narrow window wakes the client
 * once, which was nine tenths of the processor time of a refusal of 0.8 MB.
 *
 * A window that the client has been told cannot be taken back. What it sends
 * into it is dropped by a narrower buffer, and sent again after 200 ms or more.
 * So a receive buffer becomes narrow in two steps: first its window, which the
 * client uses up, then, behind that, the buffer with its lease. Those of a
 * client that sends nothing more last until its connection is closed.
 * Loop thread only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* Bytes of one body or reply from which on the buffers may grow. Below, two
     * system calls cost more than they save. */
    SOCKET_BUFFERS_LARGE = 128 << 10,

    /* SO_RCVBUF of a limited window, where net.core.rmem_max allows that much,
     * and the bytes that the kernel holds then. */
    SOCKET_BUFFERS_WINDOW = 512 << 10,
    SOCKET_BUFFERS_WINDOW_MOST = 2 * SOCKET_BUFFERS_WINDOW,
};

enum socket_buffers_window {
    SOCKET_BUFFERS_NARROW,
    SOCKET_BUFFERS_LIMITED,
    SOCKET_BUFFERS_FREE, /* the kernel sizes it */
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
    bool send_wide;
    enum socket_buffers_window receive;
    size_t send_leased, receive_leased; /* bytes; they last until the kernel has
                                         * none of them any more */
    uint64_t told; /* bytes of the stream up to which the client may have a wide
                    * window, while a narrow buffer is leased */
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

/* Widens the receive buffer for a body, with `dropped` for one that is not
 * stored; does nothing when it is wide. */
void socket_buffers_receive(struct socket_buffers *buffers, bool dropped);

/* Make them narrow again; to be called until a lease is given back, which is
 * once the kernel can hold no more than a narrow buffer does. They cost nothing
 * when there is nothing to do. */
void socket_buffers_narrow_receive(struct socket_buffers *buffers);
void socket_buffers_narrow(struct socket_buffers *buffers);

/* Makes room for the last bytes of a connection, behind replies that its client
 * has not read; false when net.core.wmem_max allows no more. */
bool socket_buffers_add_room(int fd);

/* Bytes in one of a socket's queues, SIOCINQ or SIOCOUTQ; 0 when the system
 * does not tell. */
size_t socket_buffers_queued(int fd, unsigned long which);

/* Gives all leases back: the socket is being closed, and the kernel keeps
 * nothing of it. */
void socket_buffers_free(struct socket_buffers *buffers);
