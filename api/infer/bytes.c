#include "api/infer/state.h"

static bool check_bytes(const struct document_input *input, const char *verb,
                        struct status *st)
{
    size_t bytes;

    if (input->dtype == DTYPE_BYTES)
        return true;
    if (!tensor_bytes(input->dtype, input->count, input->name, &bytes, st))
        return false;
    if (bytes != input->binary_bytes) {
        char shape[128];

        return status_fail(
            st, STATUS_INVALID,
            "'%s' %s %llu bytes, but %s of shape %s takes %zu", input->name,
            verb, (unsigned long long)input->binary_bytes,
            dtype_info(input->dtype)->name,
            shape_print(&input->shape, shape, sizeof(shape)), bytes);
    }
    return true;
}

static bool check_left(const struct document_input *input, int i, size_t left,
                       size_t all, struct status *st)
{
    return input->binary_bytes <= left ||
           status_fail(st, STATUS_INVALID,
                       "inputs[%d] ('%.64s') %s %llu bytes, but %zu are left "
                       "of the %zu "
                       "behind the document",
                       i, input->name, input->is_derived ? "takes" : "declares",
                       (unsigned long long)input->binary_bytes, left, all);
}

/* Without a declared size, `all` bytes behind the document are a tensor only
 * where datatype and shape say where it ends. */
static bool check_derived(const struct document_input *input, int i, size_t all,
                          struct status *st)
{
    if (!input->is_derived || input->count == 0)
        return true;
    if (all == 0)
        return status_fail(st, STATUS_INVALID,
                           "inputs[%d] ('%.64s') has neither data nor "
                           "parameters.binary_data_size nor "
                           "parameters.shared_memory_region, and no bytes "
                           "follow the document",
                           i, input->name);
    return input->dtype != DTYPE_BYTES ||
           status_fail(st, STATUS_INVALID,
                       "inputs[%d] ('%.64s') is BYTES, whose size does not "
                       "follow from its shape: it needs "
                       "parameters.binary_data_size",
                       i, input->name);
}

/* The bytes of input `i`, which are not behind the document. */
static bool find_apart(const struct infer_request *request, int i,
                       unsigned char **bytes, struct status *st)
{
    const struct document_input *input = &request->doc->inputs[i];
    bool placed = input->form != DOCUMENT_FORM_REGION;
    struct api_region found;

    if (!placed &&
        !region_find(request->regions, &input->region, input->name, &found, st))
        return false;
    *bytes = placed ? request->placed[i].data : found.data;
    return check_bytes(input, placed ? "has" : "declares", st);
}

bool bytes_find(const struct infer_request *request, unsigned char **bytes,
                struct status *st)
{
    size_t all = request->body_len - request->binary_start, left = all;

    for (int i = 0; i < request->doc->input_count; i++) {
        const struct document_input *input = &request->doc->inputs[i];

        if (input->form == DOCUMENT_FORM_JSON)
            continue;
        if (request->placed || input->form == DOCUMENT_FORM_REGION) {
            if (!find_apart(request, i, &bytes[i], st))
                return false;
            continue;
        }
        if (!check_derived(input, i, all, st) ||
            !check_bytes(input, "declares", st) ||
            !check_left(input, i, left, all, st))
            return false;
        bytes[i] = request->body + (request->body_len - left);
        left -= (size_t)input->binary_bytes;
    }
    return left == 0 ||
           status_fail(st, STATUS_INVALID,
                       "%zu bytes follow the document, but the inputs "
                       "take %zu",
                       all, all - left);
}
