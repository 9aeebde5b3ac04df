#include "api/tensor_json/parser.h"

bool tensor_json_supports(enum dtype dtype, const char *name, struct status *st)
{
    const struct dtype_info *info = dtype_info(dtype);

    if (info->kind != DTYPE_KIND_OPAQUE)
        return true;
    return status_fail(st, STATUS_INVALID,
                       "'%s' is %s, which has no JSON form: send and ask for "
                       "it in binary (binary_data_size, binary_data)",
                       name, info->name);
}

bool tensor_json_index(const struct data_array *a, uint64_t row,
                       struct span *rows, const atomic_bool *cancel,
                       struct status *st)
{
    struct text_scan s;

    if (!text_scan_init(&s, a, cancel, st))
        return false;
    text_scan_rows(&s, rows, row, rows ? a->count / row : 0);
    return text_walk(&s, text_run_index(a->dtype));
}
