#include "tests/fuzz/client.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/fuzz/expect.h"

enum { FIRST_CAPACITY = 4096 };

void client_open(struct client *client, struct world *world,
                 enum world_port port, bool narrow)
{
    client->fd = world_connect(world, port, narrow);
    client->reads = true;
    client->may_lose = narrow;
}

static void count_lines(struct client *client, const char *data, size_t len)
{
    const char *end = data + len;

    while ((data = memchr(data, '\n', (size_t)(end - data))) != NULL) {
        client->lines++;
        data++;
    }
}

void client_send(struct client *client, size_t most)
{
    size_t len = client->left < most ? client->left : most;
    ssize_t sent;

    if (client->fd < 0 || len == 0)
        return;
    sent = send(client->fd, client->to_send, len, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN)
        client->left = 0; /* the server has closed its end */
    if (sent <= 0)
        return;
    count_lines(client, client->to_send, (size_t)sent);
    client->moved += (size_t)sent;
    client->to_send += sent;
    client->left -= (size_t)sent;
}

static void reserve(struct client *client, size_t len)
{
    if (client->capacity - client->len >= len)
        return;
    client->capacity = 2 * client->capacity + len + FIRST_CAPACITY;
    client->got = realloc(client->got, client->capacity);
    EXPECT(client->got != NULL);
}

struct pollfd client_wait(const struct client *client)
{
    bool waits = client->reads && !client->ended;

    return (struct pollfd){waits ? client->fd : -1, POLLIN, 0};
}

void client_receive(struct client *client, size_t most)
{
    ssize_t len = 1;

    while (client->fd >= 0 && !client->ended && most > 0 && len > 0) {
        size_t now = most < FIRST_CAPACITY ? most : FIRST_CAPACITY;

        reserve(client, now);
        len = recv(client->fd, client->got + client->len, now, MSG_DONTWAIT);
        client->ended = len == 0 || (len < 0 && errno != EAGAIN);
        if (len <= 0)
            return;
        client->moved += (size_t)len;
        client->len += (size_t)len;
        most -= (size_t)len;
    }
}

void client_half_close(struct client *client)
{
    client->left = 0;
    client->may_lose = true; /* a half that is closed is a cancellation */
    if (client->fd >= 0)
        shutdown(client->fd, SHUT_WR);
}

void client_close(struct client *client)
{
    client->left = 0;
    client->may_lose = true;
    if (client->fd >= 0)
        close(client->fd);
    client->fd = -1;
}

void client_free(struct client *client)
{
    free(client->got);
    *client = (struct client){.fd = -1};
}
