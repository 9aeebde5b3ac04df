/* What TCP knows about a socket. In a file of its own: the kernel's header,
 * which has it all, and the C library's cannot be included together. */
#pragma once

#include <stdint.h>

/* Bytes received in this connection's life; 0 when it is not TCP. */
uint64_t tcp_received(int fd);
