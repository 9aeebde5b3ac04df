/* The memory that one connection may take, whatever its client does. The memory
 * plan counts these figures, and allocations stay below them. */
#pragma once

enum {
    /* A connection's slot (server/mhd/slots.h): its state, and libmicrohttpd's
     * memory for request line, headers, reply headers and buffers. */
    CONNECTION_COST_POOL = 32 << 10,

    /* libmicrohttpd's own structs (0.6 KiB), its response with our headers (1
     * KiB), the text of a refusal, and the heap's overhead. */
    CONNECTION_COST_STATE = 8 << 10,

    /* OpenSSL's session with a record's buffer for each direction: 15 KiB at
     * rest, 2 × 17 KiB more while records are cut. */
    CONNECTION_COST_TLS = 48 << 10,

    /* Bytes of bodies, plans and replies that are always there for a connection
     * and are not the budget's (budget.h). */
    CONNECTION_COST_ALLOWANCE = 64 << 10,

    /* Values for SO_SNDBUF and SO_RCVBUF of a connection without a lease. With
     * 32 KiB to receive, requests of 64 KiB took 1.6 times as long. */
    CONNECTION_COST_SNDBUF = 64 << 10,
    CONNECTION_COST_RCVBUF = 64 << 10,

    /* The kernel charges a socket up to this many times those values, for it
     * counts the memory of packets and not their bytes: socket(7). */
    CONNECTION_COST_SOCKET_FACTOR = 2,

    /* The kernel's own structs of a TCP socket, its file and its place in
     * epoll: 2.3 + 0.9 + 0.3 KiB in Linux 6, and what slabs round up. */
    CONNECTION_COST_KERNEL = 6 << 10,

    /* Of a connection with HTTP/2, POOL is nghttp2's session: its frame buffer
     * (17 KiB) and two tables of HPACK; STATE has our output, 7.5 KiB. What an
     * open stream takes is leased. A closed one is remembered, for as many as
     * may be open: nghttp2_stream, and its place in a table. */
    CONNECTION_COST_CLOSED_STREAM = 320,

    /* All of it but TLS. */
    CONNECTION_COST = CONNECTION_COST_POOL + CONNECTION_COST_STATE +
                      CONNECTION_COST_ALLOWANCE + CONNECTION_COST_KERNEL +
                      CONNECTION_COST_SOCKET_FACTOR *
                          (CONNECTION_COST_SNDBUF + CONNECTION_COST_RCVBUF),

    /* A socket that waits for room at the port: nothing is sent, and what its
     * client has sent is not received. Before the daemon accepts it, the kernel
     * holds as much: 128 KiB is the second number of tcp_rmem. */
    CONNECTION_COST_WAITING =
        CONNECTION_COST_KERNEL +
        CONNECTION_COST_SOCKET_FACTOR * CONNECTION_COST_RCVBUF,
};
