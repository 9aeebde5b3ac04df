/* The end of connections that libmicrohttpd closes while the client still
 * sends, such as after its own 400. A socket that is closed on unread bytes is
 * reset, and with it go the replies that are not sent yet. So a duplicate of
 * the descriptor is kept, and input is dropped until the client ends, for 2 s
 * and 4 MiB at most.
 *
 * Eight at a time: the oldest is closed for a new one. The loop's thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { LINGER_SOCKETS = 8 };

struct linger_list {
    struct linger_socket {
        int fd; /* owned */
        uint64_t until_ms;
        size_t dropped; /* bytes */
    } sockets[LINGER_SOCKETS];
    int count;
    uint64_t next_ms; /* when they are looked at again */
};

/* Ends our half of `fd`, which the caller closes, and keeps a duplicate. */
void linger_keep(struct linger_list *list, int fd);

/* Drops what has arrived; closes those that are over. To be called each 100 ms
 * at least; looks each 10 ms at most. */
void linger_check(struct linger_list *list);

/* Closes all. */
void linger_close(struct linger_list *list);
