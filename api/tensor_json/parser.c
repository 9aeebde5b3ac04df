#include "api/tensor_json/parser.h"

#include "kernels/core/cancel.h"

enum { CHECK_INTERVAL = 1 << 17 }; /* bytes between two checks of `cancel` */

bool tensor_json_supports(enum dtype dtype, uint64_t count, const char *name,
                          struct status *st)
{
    const struct dtype_traits *info = dtype_info(dtype);

    if (info->kind != DTYPE_KIND_OPAQUE || count == 0)
        return true;
    return status_fail(st, STATUS_INVALID,
                       "'%s' is %s, which has no JSON form: send and ask for "
                       "it in binary (binary_data_size, binary_data)",
                       name, info->name);
}

bool tensor_json_range(enum dtype dtype, struct number_range *limits)
{
    const struct dtype_traits *info = dtype_info(dtype);
    const struct float_range *range = value_format_get(dtype)->range;
    uint64_t most = 0, least = 0;

    if (info->kind == DTYPE_KIND_INT) {
        most = (UINT64_C(1) << (info->bits - 1)) - 1;
        least = most + 1;
    } else if (info->kind == DTYPE_KIND_UINT) {
        most = UINT64_MAX >> (64 - info->bits);
    }
    number_range_init(limits, most, least, range ? range->safe_exponent : 0);
    return range || most > 0;
}

void parser_init(struct parser *p, const struct data_array *array,
                 const atomic_bool *cancel, struct status *st)
{
    const struct dtype_traits *info = dtype_info(array->dtype);

    *p = (struct parser){.array = array, .cancel = cancel, .st = st};
    p->stream.text = p->stream.at = array->text;
    p->stream.next_cancel_check = array->text;
    p->stream.end = array->text + array->len;
    p->per_element = info->kind == DTYPE_KIND_COMPLEX ? 2 : 1;
    p->token_limit = array->count * p->per_element;
    p->format = value_format_get(array->dtype);
    tensor_json_range(array->dtype, &p->stream.range);
}

void parser_set_rows(struct parser *p, struct span *rows, uint64_t row,
                     uint64_t capacity)
{
    struct row_index *index = &p->stream.index;

    index->rows = rows;
    index->capacity = capacity;
    index->row_tokens = row * p->per_element;
    index->tokens_left = index->row_tokens;
}

bool parser_check_cancel(struct parser *p, const char *at)
{
    struct token_stream *s = &p->stream;

    s->next_cancel_check =
        s->end - at > CHECK_INTERVAL ? at + CHECK_INTERVAL : s->end;
    if (!cancel_requested(p->cancel))
        return true;
    return status_fail(p->st, STATUS_CANCELLED, "cancelled");
}

bool parser_in_range(const struct parser *p, const char *token, size_t len)
{
    const struct float_range *range = p->format->range;

    return range ? range->holds(token, len)
                 : number_range_holds(&p->stream.range, token, len);
}
