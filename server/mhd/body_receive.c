#include "server/mhd/body_receive.h"

#include "kernels/core/require.h"
#include "kernels/core/size.h"

/* Bytes of one call at most: other connections wait meanwhile. */
enum { STEP = 256 << 10 };

static void set_lowat(struct body_receive *body, int bytes)
{
    if (!body->below->io->set_lowat || body->rcvlowat == bytes)
        return;
    if (body->below->io->set_lowat(body->below->self, bytes))
        body->rcvlowat = bytes;
}

/* Into `data`; NULL: the bytes are dropped. */
static ssize_t receive(struct body_receive *body, void *data, size_t size)
{
    const struct socket_layer *below = body->below;
    ssize_t result = data ? below->io->recv(below->self, data, size)
                          : below->io->drop(below->self, size);

    if (result > 0)
        body->received += (uint64_t)result;
    return result;
}

void body_receive_start(struct body_receive *body, size_t len)
{
    body_receive_reset(body);
    body->on = true;
    body->drops = false;
    body->left = len;
}

void body_receive_drop(struct body_receive *body, size_t len)
{
    if (!body->below->io->drop)
        return;
    body_receive_start(body, len);
    body->drops = true;
}

void body_receive_stop(struct body_receive *body)
{
    body->on = false;
    if (body->rcvlowat > 1)
        set_lowat(body, 1);
}

void body_receive_reset(struct body_receive *body)
{
    body_receive_stop(body);
    body->received_unreported = body->reported_unseen = 0;
}

size_t body_receive_skip(struct body_receive *body, size_t len)
{
    size_t skipped = size_min(len, body->reported_unseen);

    body->reported_unseen -= skipped;
    if (body->on)
        body->left -= len - skipped;
    return skipped;
}

static ssize_t receive_wanted(struct body_receive *body, size_t *size)
{
    const struct body_target *target = body->target;
    unsigned char *place = target->reserve(body->context, size);
    ssize_t result;

    if (!place) {
        body->left = 0; /* the body's owner refuses it when told of more */
        return -1;
    }
    result = receive(body, place, *size);
    if (result > 0)
        target->received(body->context, (size_t)result);
    return result;
}

/* Receives until `wanted` bytes are unreported, the socket is empty or the body
 * is whole. Returns the last result of recv(). */
static ssize_t fill(struct body_receive *body, size_t wanted)
{
    ssize_t result = -1;

    while (body->received_unreported < wanted && body->left > 0) {
        size_t size = size_min(body->left, STEP);

        result = body->drops ? receive(body, NULL, size)
                             : receive_wanted(body, &size);
        if (result <= 0)
            break;
        REQUIRE_WITH((size_t)result <= body->left, "%zd of %zu", result,
                     body->left);
        body->left -= (size_t)result;
        body->received_unreported += (size_t)result;
        if ((size_t)result < size)
            break;
    }
    return result;
}

/* Adds bytes that follow the body to `reported` ones of it. */
static ssize_t receive_rest(struct body_receive *body, char *data, size_t size,
                            size_t reported)
{
    ssize_t result;

    body_receive_stop(body);
    if (reported == size)
        return (ssize_t)size;
    result = receive(body, data + reported, size - reported);
    if (result > 0)
        return (ssize_t)reported + result;
    return reported > 0 ? (ssize_t)reported : result;
}

ssize_t body_receive_recv(struct body_receive *body, void *data, size_t size)
{
    size_t reported;
    ssize_t result;

    if (!body->on)
        return receive(body, data, size);
    result = fill(body, size);
    reported = size_min(body->received_unreported, size);
    body->received_unreported -= reported;
    body->reported_unseen += reported;
    if (body->left == 0 && body->received_unreported == 0)
        return receive_rest(body, data, size, reported);
    if (reported < size)
        set_lowat(body, (int)size_min(body->left, STEP));
    return reported > 0 ? (ssize_t)reported : result;
}
