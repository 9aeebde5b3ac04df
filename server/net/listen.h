/* The address of --http-address and --http-port, and a socket that listens on
 * it. */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

#include "kernels/core/status.h"
#include "server/config/options.h"

enum { LISTEN_TEXT_SIZE = 160 };

struct listen_address {
    struct sockaddr_storage storage;
    socklen_t len;
    int port; /* -1 for a unix socket */
};

/* Reads the options. INVALID when it is no numeric address (names are never
 * looked up) or the path is too long. */
bool listen_parse(const struct options *options, struct listen_address *address,
                  struct status *st);

/* The address of the admin port: 127.0.0.1 where the other is a unix socket. */
bool listen_parse_admin(const struct options *options,
                        struct listen_address *address, struct status *st);

/* Opens a non-blocking listening socket and puts the port that was picked
 * into `address`. -1 and INVALID with the system's reason on failure. A unix
 * socket whose server is gone is replaced. */
int listen_open(struct listen_address *address, struct status *st);

/* Closes the socket and removes a unix socket's file. */
void listen_close(const struct listen_address *address, int fd);

/* "127.0.0.1:8000", "[::1]:8000" or "unix:/run/flipd.sock". */
void listen_text(const struct listen_address *address,
                 char text[LISTEN_TEXT_SIZE]);
