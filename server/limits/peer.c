#include "server/limits/peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

static const unsigned char mapped[12] = {0, 0, 0, 0, 0,    0,
                                         0, 0, 0, 0, 0xff, 0xff};

bool peer_is_unix(const struct peer *peer)
{
    static const unsigned char zeros[sizeof(peer->address)];

    return memcmp(peer->address, zeros, sizeof(zeros)) == 0;
}

static bool is_ipv4(const struct peer *peer)
{
    return memcmp(peer->address, mapped, sizeof(mapped)) == 0;
}

size_t peer_network_bytes(const struct peer *peer)
{
    return is_ipv4(peer) ? sizeof(peer->address) : 8;
}

void peer_from_address(struct peer *peer, const struct sockaddr *address)
{
    *peer = (struct peer){.port = 0};
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *in = (const void *)address;

        memcpy(peer->address, mapped, sizeof(mapped));
        memcpy(peer->address + sizeof(mapped), &in->sin_addr, 4);
        peer->port = ntohs(in->sin_port);
    } else if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *in6 = (const void *)address;

        memcpy(peer->address, &in6->sin6_addr, sizeof(peer->address));
        peer->port = ntohs(in6->sin6_port);
    }
}

/* FNV-1a. */
uint32_t peer_hash(const struct peer *peer)
{
    size_t len = peer_network_bytes(peer);
    uint32_t hash = UINT32_C(2166136261);

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ peer->address[i]) * UINT32_C(16777619);
    return hash;
}

void peer_text(const struct peer *peer, char text[PEER_TEXT_SIZE])
{
    char address[INET6_ADDRSTRLEN] = "";

    if (peer_is_unix(peer)) {
        snprintf(text, PEER_TEXT_SIZE, "unix");
    } else if (is_ipv4(peer)) {
        inet_ntop(AF_INET, peer->address + sizeof(mapped), address,
                  sizeof(address));
        snprintf(text, PEER_TEXT_SIZE, "%s:%u", address, peer->port);
    } else {
        inet_ntop(AF_INET6, peer->address, address, sizeof(address));
        snprintf(text, PEER_TEXT_SIZE, "[%s]:%u", address, peer->port);
    }
}
