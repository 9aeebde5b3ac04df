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
           status_fail(
               st, STATUS_INVALID,
               "inputs[%d] ('%.64s') declares %llu bytes, but %zu are left of "
               "the %zu behind the document",
               i, input->name, (unsigned long long)input->binary_bytes, left,
               all);
}

/* The bytes of input `i`, which are not behind the document. */
static bool find_apart(const struct infer_request *request, int i,
                       unsigned char **bytes, struct status *st)
{
    const struct document_input *input = &request->doc->inputs[i];
    bool placed = input->form != DOCUMENT_FORM_REGION;

    if (placed)
        *bytes = request->placed[i].data;
    else if (!region_find(request->regions, &input->region, input->name, bytes,
                          st))
        return false;
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
        if (!check_bytes(input, "declares", st) ||
            !check_left(input, i, left, all, st))
            return false;
        bytes[i] = request->body + (request->body_len - left);
        left -= (size_t)input->binary_bytes;
    }
    return left == 0 ||
           status_fail(st, STATUS_INVALID,
                       "%zu bytes follow the document, but the inputs "
                       "declare %zu",
                       all, all - left);
}
