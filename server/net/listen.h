/* The address that --http-address and --http-port (or --admin-address and
 * --admin-port) name, and a socket that listens there. Any thread. */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

#include "kernels/core/status.h"
#include "server/config/options.h"

enum { LISTEN_TEXT_SIZE = 160 };

struct listen_address {
    struct sockaddr_storage storage;
    socklen_t len;
    int port;         /* -1 for a unix socket */
    bool is_borrowed; /* of a service manager, where it stays open */
};

/* The ports that the options name. */
enum listen_port { LISTEN_HTTP, LISTEN_ADMIN, LISTEN_GRPC };

enum { LISTEN_PORTS = 3 };

/* Reads the options. A port without an address of its own is at --http-address,
 * or at 127.0.0.1 if that is a unix socket. Fails with INVALID for an address
 * that is not numeric (no name but localhost, which is 127.0.0.1, is known),
 * for a path that is too long, and for a unix socket as the admin port. */
bool listen_parse(const struct options *options, enum listen_port port,
                  struct listen_address *address, struct status *st);

/* Reads all addresses. Fails with INVALID also where one of them, with the same
 * port, leaves no room for another. Opens nothing. */
bool listen_check(const struct options *options, struct status *st);

/* Opens a non-blocking listening socket; the caller closes it by
 * listen_close(). Sets the port in `address` if it was 0. A unix socket whose
 * server is gone is replaced. Returns -1 and fails with INVALID, which gives
 * the system's reason. */
int listen_open(struct listen_address *address, struct status *st);

/* The same with a listening socket that a service manager has opened: takes
 * `fd` over and sets all of `address`. Fails with INVALID, which says what the
 * descriptor is instead. */
bool listen_adopt(struct listen_address *address, int fd, struct status *st);

/* Refuses connections that clients begin from now on; those that have begun can
 * still be accepted: a TCP client may know that it is connected before the
 * kernel here does. Not for a borrowed socket, whose clients wait for the next
 * daemon. */
void listen_refuse(const struct listen_address *address, int fd);

/* Closes the socket, and removes the file of a unix socket that is not
 * borrowed. */
void listen_close(const struct listen_address *address, int fd);

/* Writes "127.0.0.1:8000", "[::1]:8000", "unix:/run/flipd.sock", or
 * "unix:@name" for an abstract name. */
void listen_text(const struct listen_address *address,
                 char text[LISTEN_TEXT_SIZE]);
