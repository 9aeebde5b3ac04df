/* A client of a struct world: its end of a connection, and all that it has
 * received. One thread. */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "tests/fuzz/world.h"

struct client {
    int fd;     /* owned; -1: closed, or never opened */
    bool reads; /* receives at every turn */
    /* Whether it may have lost a part of a reply, for it has closed the
     * connection, or has not read while it could. */
    bool may_lose;
    bool ended;          /* the server has closed the connection */
    size_t lines;        /* line ends sent */
    bool head_sent;      /* "HEAD " stood in what was sent */
    size_t moved;        /* bytes sent and received */
    char *got;           /* owned: the bytes received */
    size_t len;          /* how many */
    size_t capacity;     /* of `got` */
    const char *to_send; /* borrowed */
    size_t left;         /* bytes of it */
};

void client_open(struct client *client, struct world *world,
                 enum world_port port, bool narrow);

/* Sends up to `most` of the bytes left; fewer when the socket is full. */
void client_send(struct client *client, size_t most);

/* For poll(): whether something is to be received; nothing when it does not
 * read. */
struct pollfd client_wait(const struct client *client);

/* Receives up to `most` bytes. */
void client_receive(struct client *client, size_t most);

/* Ends its half of the connection. */
void client_half_close(struct client *client);

/* Closes the connection, and resets it if replies were not read. */
void client_close(struct client *client);

/* Frees what was received; it is closed. */
void client_free(struct client *client);
