/* Tensors in the binary form, printed as JSON text. */
#include "api/number/value_format.h"
#include "api/tensor_json/tensor_json.h"

enum { CHECK_INTERVAL = 1 << 16 }; /* tokens between two checks of `cancel` */

static unsigned tokens_of(enum dtype dtype)
{
    return dtype_info(dtype)->kind == DTYPE_KIND_COMPLEX ? 2 : 1;
}

size_t tensor_json_print_bound(enum dtype dtype, uint64_t count)
{
    size_t element = value_format_get(dtype)->bound * tokens_of(dtype);
    size_t bytes;

    if (__builtin_mul_overflow(count, element, &bytes))
        return SIZE_MAX;
    return bytes;
}

bool tensor_json_print(const struct tensor *tensor, uint64_t count, char **out,
                       const atomic_bool *cancel, struct status *st)
{
    const struct value_format *format = value_format_get(tensor->dtype);
    uint64_t tokens = count * tokens_of(tensor->dtype);
    char *at = *out;

    if (!tensor_json_supports(tensor->dtype, tensor->name, st))
        return false;
    for (uint64_t i = 0; i < tokens; i++) {
        if (i % CHECK_INTERVAL == 0 && cancel &&
            atomic_load_explicit(cancel, memory_order_relaxed))
            return status_fail(st, STATUS_CANCELLED, "cancelled");
        if (i > 0)
            *at++ = ',';
        at += format->print(tensor->data, i, at);
    }
    *out = at;
    return true;
}
