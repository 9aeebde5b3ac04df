/* Any bytes as a ModelInferRequest, beside libprotobuf.
 *
 * What the library does not take is refused. What it takes is answered as the
 * library writes it: with the same bytes, or the same error but for the byte
 * that it names. Only limits, of fields and of groups in groups, may be met by
 * a message whose unknown fields are gone in the other; and of a tag with more
 * than 32 bits the library forgets those. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/grpc.h"
#include "tests/api/answer.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/library.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ANSWER_MAX = 1 << 20 };

struct answer {
    int status;
    unsigned char *data; /* owned */
    size_t len;
};

static void join(const struct api_reply *reply, struct answer *a)
{
    a->len = 0;
    a->status = reply->status;
    a->data = malloc(api_reply_bytes(reply) + 1);
    EXPECT(a->data && api_reply_bytes(reply) < ANSWER_MAX);
    for (int i = 0; i < reply->piece_count; i++) {
        memcpy(a->data + a->len, reply->pieces[i].data, reply->pieces[i].len);
        a->len += reply->pieces[i].len;
    }
    a->data[a->len] = '\0';
}

static void ask(const uint8_t *message, size_t len, struct answer *a)
{
    static const char path[] = "/inference.GRPCInferenceService/ModelInfer";
    struct api_request request = {.ready = true};
    unsigned char *body = copy_of(message, len);
    struct api_grpc_call call;
    struct api_reply reply;

    EXPECT(api_grpc_request(api_grpc_find(path), body, len, &call, &request,
                            &reply));
    (void)api_timeout(&request);
    (void)api_may_use_shm(&request);
    api_answer(&request, &reply);
    EXPECT(reply.status == 200 || reply.status == 400 || reply.status == 404 ||
           reply.status == 501);
    join(&reply, a);
    api_reply_free(&reply);
    api_grpc_call_free(&call);
    free(body);
}

static bool is_limit(const struct answer *a)
{
    return a->status == 400 &&
           (strstr((char *)a->data, "more than 2000 fields") ||
            strstr((char *)a->data, "groups are nested more than 100 deep") ||
            strstr((char *)a->data, "a number that no field can have"));
}

static void compare(const struct answer *ours, const struct answer *rewritten)
{
    if (is_limit(ours) || is_limit(rewritten))
        return;
    EXPECT(ours->status == rewritten->status);
    if (ours->status != 200)
        return;
    EXPECT(ours->len == rewritten->len);
    EXPECT(memcmp(ours->data, rewritten->data, ours->len) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct answer ours, rewritten;
    uint8_t *other;
    size_t len;

    ask(data, size, &ours);
    if (library_rewrite(data, size, &other, &len)) {
        ask(other, len, &rewritten);
        compare(&ours, &rewritten);
        free(rewritten.data);
        free(other);
    } else {
        EXPECT(ours.status == 400 || ours.status == 404);
    }
    free(ours.data);
    return 0;
}
