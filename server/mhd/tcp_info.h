/* A counter of TCP. In a file of its own: only the kernel's header has it, and
 * cannot be included together with the C library's. */
#pragma once

#include <stdint.h>

/* Bytes received since the connection was opened; 0 when it is not TCP. */
uint64_t tcp_received(int fd);
