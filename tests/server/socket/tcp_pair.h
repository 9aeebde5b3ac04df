/* Two ends of a TCP connection on the loopback. */
#pragma once

#include <check.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

/* The receive buffer of `far` is made so small before it connects that the
 * kernel soon has to keep what it is sent; 0: as the system has it. The caller
 * closes both. */
static inline void tcp_pair(int *near, int *far, int receive_buffer)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct sockaddr *at = (struct sockaddr *)(void *)&address;
    socklen_t size = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM, 0);

    ck_assert_int_eq(bind(listener, at, size), 0);
    ck_assert_int_eq(listen(listener, 1), 0);
    ck_assert_int_eq(getsockname(listener, at, &size), 0);
    *far = socket(AF_INET, SOCK_STREAM, 0);
    if (receive_buffer > 0)
        setsockopt(*far, SOL_SOCKET, SO_RCVBUF, &receive_buffer,
                   sizeof(receive_buffer));
    ck_assert_int_eq(connect(*far, at, size), 0);
    *near = accept(listener, NULL, NULL);
    ck_assert_int_ge(*near, 0);
    close(listener);
}
