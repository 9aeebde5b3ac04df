#include "api/wire/npy_header.h"
#include "api/wire/wire.h"

static size_t bound(const struct infer_result *result)
{
    (void)result;
    return NPY_HEADER_MOST;
}

/* NumPy's own header fits where the request's was. */
static void encode(const struct infer_result *result, struct api_reply *reply)
{
    const struct infer_tensor *tensor = &result->tensor;
    const struct npy_header npy = {
        .dtype = tensor->dtype,
        .shape = *tensor->shape,
        .big_endian = tensor->big_endian,
        .column_major = tensor->column_major,
    };
    size_t len = npy_header_write(&npy, result->head);

    encoder_add_both(reply, result->head, len, tensor, tensor->len);
}

const struct encoder encode_npy = {"application/x-npy", "application/x-npy",
                                   bound, encode};
