#include "server/http/body.h"

#include <string.h>

enum {
    FIRST_STEP = 64 << 10, /* bytes reserved to begin with */
    PER_NOTE = 8,          /* bytes of text, most often more */
};

static enum body_verdict judge(enum admission_verdict verdict)
{
    switch (verdict) {
    case ADMISSION_OK:
        return BODY_OK;
    case ADMISSION_BUSY:
        return BODY_BUSY;
    case ADMISSION_NEVER:
        return BODY_NEVER;
    }
    return BODY_BUSY;
}

static enum body_verdict reserve_up_to(struct body *body,
                                       struct job_context *context, size_t size)
{
    enum body_verdict verdict = judge(admission_reserve(
        &context->admission, body->reserved, size - body->reserved));

    if (verdict == BODY_OK)
        body->reserved = size;
    return verdict;
}

/* The most bytes that can still come to be. */
static size_t ceiling(const struct body *body,
                      const struct job_context *context)
{
    return body->announced ? body->announced
                           : (size_t)context->options->http_max_input_size;
}

enum body_verdict body_announce(struct body *body, struct job_context *context,
                                uint64_t len)
{
    enum body_verdict verdict;

    if (len > (uint64_t)context->options->http_max_input_size)
        return BODY_TOO_LARGE;
    verdict = judge(admission_check(&context->admission, 0, (size_t)len));
    if (verdict != BODY_OK)
        return verdict;
    body->announced = (size_t)len;
    return reserve_up_to(body, context,
                         len < FIRST_STEP ? (size_t)len : FIRST_STEP);
}

/* The reservation for a body that has `needed` bytes. */
static size_t next_size(const struct body *body,
                        const struct job_context *context, size_t needed)
{
    size_t most = ceiling(body, context);
    size_t size = body->reserved ? body->reserved : FIRST_STEP;

    while (size < needed && size <= most / 2)
        size *= 2;
    return size < needed || size > most ? most : size;
}

/* An announced body gets its whole buffer at once: what is not touched takes no
 * memory. The byte behind it is for whoever wants to see that none follows. */
static bool make_room(struct body *body, struct job_context *context,
                      uint64_t now_ms)
{
    size_t wanted = body->announced ? body->announced + 1 : body->reserved;

    return body->buffer.capacity >= wanted ||
           buffer_pool_grow(&context->buffer_pool, &body->buffer, body->len,
                            wanted, now_ms);
}

static enum body_verdict prepare(struct body *body, struct job_context *context,
                                 size_t len, uint64_t now_ms)
{
    enum body_verdict verdict;

    if (len > ceiling(body, context) - body->len)
        return BODY_TOO_LARGE;
    if (body->len + len > body->reserved) {
        verdict = reserve_up_to(body, context,
                                next_size(body, context, body->len + len));
        if (verdict != BODY_OK)
            return verdict;
    }
    return make_room(body, context, now_ms) ? BODY_OK : BODY_NO_MEMORY;
}

enum body_verdict body_append(struct body *body, struct job_context *context,
                              const char *data, size_t len, uint64_t now_ms)
{
    enum body_verdict verdict = prepare(body, context, len, now_ms);

    if (verdict != BODY_OK)
        return verdict;
    memcpy(body->buffer.data + body->len, data, len);
    body->len += len;
    return BODY_OK;
}

unsigned char *body_place(struct body *body, struct job_context *context,
                          size_t size, uint64_t now_ms)
{
    if (prepare(body, context, size, now_ms) != BODY_OK)
        return NULL;
    return body->buffer.data + body->len;
}

void body_note(struct body *body, struct job_context *context,
               struct token_lengths *lengths)
{
    size_t wanted = body->reserved / PER_NOTE;

    if (!body->notes.data &&
        !buffer_pool_get(&context->buffer_pool, body->announced / PER_NOTE,
                         &body->notes))
        return;
    if (wanted > body->noted &&
        admission_reserve(&context->admission, body->reserved + body->noted,
                          wanted - body->noted) == ADMISSION_OK)
        body->noted = wanted;
    lengths->lens = body->notes.data;
    lengths->capacity = body->noted;
}

void body_free(struct body *body, struct job_context *context, uint64_t now_ms)
{
    buffer_pool_put(&context->buffer_pool, &body->buffer, now_ms);
    buffer_pool_put(&context->buffer_pool, &body->notes, now_ms);
    admission_release(&context->admission, body->reserved + body->noted);
    *body = (struct body){.len = 0};
}
