/* What one connection may take of the memory, whatever its client does. The
 * memory plan counts with these figures; whoever allocates keeps to them. */
#pragma once

enum {
    /* libmicrohttpd's memory of a connection: its request line, headers, reply
     * headers and buffers. */
    CONNECTION_COST_POOL = 32 << 10,

    /* Bytes of bodies, plans and replies that are always there for a connection
     * and are not the budget's (lease.h). */
    CONNECTION_COST_ALLOWANCE = 64 << 10,

    /* Values for SO_SNDBUF and SO_RCVBUF of a connection without a lease. */
    CONNECTION_COST_SNDBUF = 64 << 10,
    CONNECTION_COST_RCVBUF = 32 << 10,

    /* The kernel charges a socket up to this many times those values, for it
     * counts the memory of packets and not their bytes: socket(7). */
    CONNECTION_COST_SOCKET_FACTOR = 2,
};
