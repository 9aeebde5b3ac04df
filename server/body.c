#include "server/body.h"

#include <string.h>

enum { FIRST_STEP = 64 << 10 }; /* bytes for a body of unknown length */

static enum body_verdict reserve_up_to(struct body *body,
                                       struct service *service, size_t size)
{
    switch (admission_reserve(&service->admission, body->reserved,
                              size - body->reserved)) {
    case ADMISSION_OK:
        body->reserved = size;
        return BODY_OK;
    case ADMISSION_BUSY:
        return BODY_BUSY;
    case ADMISSION_NEVER:
        return BODY_NEVER;
    }
    return BODY_BUSY;
}

enum body_verdict body_announce(struct body *body, struct service *service,
                                uint64_t len)
{
    if (len > (uint64_t)service->options->http_max_input_size)
        return BODY_TOO_LARGE;
    return reserve_up_to(body, service, (size_t)len);
}

/* The size that a body of unknown length gets when it needs `needed`. */
static size_t next_size(const struct body *body, const struct service *service,
                        size_t needed)
{
    size_t limit = (size_t)service->options->http_max_input_size;
    size_t size = body->reserved ? body->reserved : FIRST_STEP;

    while (size < needed && size <= limit / 2)
        size *= 2;
    return size < needed || size > limit ? limit : size;
}

enum body_verdict body_append(struct body *body, struct service *service,
                              const char *data, size_t len, uint64_t now_ms)
{
    size_t limit = (size_t)service->options->http_max_input_size;
    enum body_verdict verdict;

    if (len > limit - body->len)
        return BODY_TOO_LARGE;
    if (body->len + len > body->reserved) {
        verdict = reserve_up_to(body, service,
                                next_size(body, service, body->len + len));
        if (verdict != BODY_OK)
            return verdict;
    }
    if (body->buffer.capacity < body->reserved &&
        !buffers_grow(&service->buffers, &body->buffer, body->len,
                      body->reserved, now_ms))
        return BODY_NO_MEMORY;
    memcpy(body->buffer.data + body->len, data, len);
    body->len += len;
    return BODY_OK;
}

void body_free(struct body *body, struct service *service, uint64_t now_ms)
{
    buffers_put(&service->buffers, &body->buffer, now_ms);
    admission_release(&service->admission, body->reserved);
    *body = (struct body){.len = 0};
}
