/* How many connections each client address has open: the bound of
 * --max-connections-per-address.
 *
 * Any thread. With a limit of 0 nothing is counted. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "kernels/core/status.h"

/* An IPv6 address, or an IPv4 one mapped into it; all zero for a unix socket,
 * which is never counted. */
struct peer {
    unsigned char address[16];
    uint16_t port;
};

struct address_limit_slot {
    struct peer peer;
    size_t count; /* 0: the slot is free */
};

struct address_limit {
    size_t limit;         /* connections an address; 0: none */
    pthread_mutex_t lock; /* guards what follows */
    size_t slot_count;    /* a power of two, at least twice what can be open */
    struct address_limit_slot *slots; /* owned */
};

/* Fails with NO_MEMORY. */
bool address_limit_init(struct address_limit *address_limit, size_t limit,
                        size_t max_connections, struct status *st);
void address_limit_free(struct address_limit *address_limit);

/* Counts one more connection; false when its address has its share. */
bool address_limit_add(struct address_limit *address_limit,
                       const struct peer *peer);

/* Counts one less: once for each address_limit_add() that was true. */
void address_limit_remove(struct address_limit *address_limit,
                          const struct peer *peer);

void peer_from_address(struct peer *peer, const struct sockaddr *address);

enum { PEER_TEXT_SIZE = 64 };

/* "192.0.2.1:4711", "[2001:db8::1]:4711" or "unix". */
void peer_text(const struct peer *peer, char text[PEER_TEXT_SIZE]);
