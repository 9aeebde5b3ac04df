#include "api/wire/wire.h"

static size_t bound(const struct infer_result *result)
{
    (void)result;
    return 0;
}

/* The data was moved in place. Datatype and shape are those of the request, so
 * the request's .npy header, still in front of the data, is sent again. */
static void encode(const struct infer_result *result, struct api_reply *reply)
{
    const struct infer_tensor *tensor = &result->tensor;

    encoder_add(reply, tensor->data - tensor->headroom,
                tensor->headroom + tensor->len);
}

const struct encoder encode_npy = {"application/x-npy", "application/x-npy",
                                   bound, encode};
