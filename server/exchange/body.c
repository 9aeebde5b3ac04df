#include "server/exchange/body.h"

#include <string.h>

#include "kernels/core/require.h"

enum {
    FIRST_STEP = 4 << 10,    /* bytes of the first lease of body_append() */
    RECEIVE_STEP = 64 << 10, /* and of body_reserve() */
    USEFUL_STEP = 16 << 10,  /* bytes that are worth a call of recv() */
    SCAN_MIN = 256 << 10,    /* bytes of a body that is worth scanning early */
};

void body_init(struct body *body, struct job_context *context,
               struct lease *lease)
{
    *body =
        (struct body){.context = context, .lease = lease, .limit = SIZE_MAX};
}

/* The length that the body can have at most. */
static size_t max_len(const struct body *body)
{
    return body->announced ? body->announced : body->limit;
}

enum body_verdict body_announce(struct body *body, uint64_t len)
{
    REQUIRE_WITH(body->len == 0, "%zu bytes", body->len);
    if (len > body->limit)
        return BODY_TOO_LARGE;
    if (len > lease_most(body->lease))
        return BODY_NEVER;
    body->announced = (size_t)len;
    return BODY_OK;
}

void body_scan(struct body *body)
{
    if (body->announced >= SCAN_MIN && !body->early)
        body->early = api_early_new();
}

/* The lease for a body of `needed` bytes so far. */
static size_t next_size(const struct body *body, size_t needed)
{
    size_t most = max_len(body);
    size_t size = body->reserved ? body->reserved : FIRST_STEP;

    while (size < needed && size <= most / 2)
        size *= 2;
    return size < needed || size > most ? most : size;
}

/* An announced body gets its whole buffer at once, for pages that are not
 * touched take no memory. It has one byte more, for a receiver that wants to
 * see whether anything follows the body. */
static bool grow_buffer(struct body *body)
{
    struct budget *budget = &body->context->budget;
    size_t wanted = body->announced ? body->announced + 1 : body->reserved;

    if (body->buffer.capacity >= wanted)
        return true;
    if (body->announced)
        return buffer_get_leasing(budget, wanted, body->reserved,
                                  &body->buffer);
    return buffer_grow(budget, &body->buffer, body->len, wanted);
}

static enum body_verdict make_room(struct body *body, size_t len)
{
    enum body_verdict verdict;
    size_t size;

    REQUIRE_WITH(body->len <= max_len(body), "%zu of %zu", body->len,
                 max_len(body));
    if (len > max_len(body) - body->len)
        return BODY_TOO_LARGE;
    if (body->len + len > body->reserved) {
        size = next_size(body, body->len + len);
        buffer_lease_more(&body->context->budget, &body->buffer, size);
        verdict =
            (enum body_verdict)lease_take(body->lease, size - body->reserved);
        if (verdict != BODY_OK)
            return verdict;
        body->reserved = size;
    }
    return grow_buffer(body) ? BODY_OK : BODY_NO_MEMORY;
}

enum body_verdict body_append(struct body *body, const char *data, size_t len)
{
    enum body_verdict verdict = make_room(body, len);

    if (verdict != BODY_OK)
        return verdict;
    memcpy(body->buffer.data + body->len, data, len);
    body->len += len;
    return BODY_OK;
}

unsigned char *body_reserve(struct body *body, size_t *size)
{
    size_t step = body->reserved - body->len;

    if (step < USEFUL_STEP)
        step = body->len > RECEIVE_STEP ? body->len : RECEIVE_STEP;
    if (*size > step)
        *size = step;
    if (make_room(body, *size) != BODY_OK)
        return NULL;
    return body->buffer.data + body->len;
}

/* Lends memory to the scan for the reserved part of the body. Without more
 * memory it stays as it is. */
static void grow_index(struct body *body)
{
    struct job_context *context = body->context;
    size_t whole = api_early_capacity(body->early, body->announced);
    size_t wanted = api_early_capacity(body->early, body->reserved);

    if (whole == 0 || (!body->index.data &&
                       !buffer_get_leasing(&context->budget, whole,
                                           body->index_reserved, &body->index)))
        return;
    buffer_lease_more(&context->budget, &body->index, wanted);
    if (wanted > body->index_reserved &&
        lease_take(body->lease, wanted - body->index_reserved) == LEASE_OK)
        body->index_reserved = wanted;
    api_early_lend(body->early, body->index.data, body->index_reserved);
}

/* The loop waits for most of the time that a large body takes to arrive, and
 * the bytes just received are in the processor's caches. */
void body_received(struct body *body, size_t size)
{
    REQUIRE_WITH(size <= body->reserved - body->len, "%zu of %zu", size,
                 body->reserved - body->len);
    body->len += size;
    if (!body->early)
        return;
    grow_index(body);
    api_early_read(body->early, body->buffer.data, body->len);
}

void body_free(struct body *body)
{
    struct job_context *context = body->context;

    lease_give(body->lease, body->reserved + body->index_reserved);
    buffer_put(&context->budget, &body->buffer);
    buffer_put(&context->budget, &body->index);
    api_early_free(body->early);
    body_init(body, context, body->lease);
}
