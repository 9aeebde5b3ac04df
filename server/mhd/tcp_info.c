#include "server/mhd/tcp_info.h"

#include <stddef.h>
#include <sys/socket.h>

#include <linux/in.h>
#include <linux/tcp.h>

uint64_t tcp_received(int fd)
{
    struct tcp_info info = {.tcpi_bytes_received = 0};
    socklen_t len = sizeof(info);

    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) != 0 ||
        len < offsetof(struct tcp_info, tcpi_bytes_received) +
                  sizeof(info.tcpi_bytes_received))
        return 0;
    return info.tcpi_bytes_received;
}
