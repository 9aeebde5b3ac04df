/* The address of a client: address_limit.h counts by it, the log prints it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* An IPv6 address, or an IPv4 address mapped into IPv6; all zeros for a unix
 * socket. */
struct peer {
    unsigned char address[16];
    uint16_t port;
};

void peer_from_address(struct peer *peer, const struct sockaddr *address);

/* The same for all addresses that one client may choose: of an IPv6 address,
 * the network of 64 bits. */
uint32_t peer_hash(const struct peer *peer);

bool peer_is_unix(const struct peer *peer);

/* Bytes of the address, from the first, that all addresses of a client share:
 * 8 of an IPv6 address, else all. */
size_t peer_network_bytes(const struct peer *peer);

enum { PEER_TEXT_SIZE = 64 };

/* "192.0.2.1:4711", "[2001:db8::1]:4711" or "unix". */
void peer_text(const struct peer *peer, char text[PEER_TEXT_SIZE]);
