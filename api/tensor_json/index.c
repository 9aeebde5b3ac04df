#include "api/tensor_json/array_parse.h"

bool tensor_json_supports(enum dtype dtype, const char *name, struct status *st)
{
    const struct dtype_traits *info = dtype_info(dtype);

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
    struct parser p;

    if (!array_parse_start(&p, a, cancel, st))
        return false;
    parser_set_rows(&p, rows, row, rows ? a->count / row : 0);
    return array_parse(&p, tokens_index(a->dtype));
}
