#include "api/tensor_json/parser.h"

enum { CHECK_INTERVAL = 1 << 20 }; /* bytes between two checks of `cancel` */

void parser_range(struct number_range *limits, enum dtype dtype)
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
}

void parser_init(struct parser *p, const struct data_array *array,
                 const atomic_bool *cancel, struct status *st)
{
    const struct dtype_traits *info = dtype_info(array->dtype);

    *p = (struct parser){.array = array, .cancel = cancel, .st = st};
    p->stream.text = p->stream.at = array->text;
    p->stream.next_cancel_check = array->text;
    p->stream.end = array->text + array->len;
    p->stream.validated_end = array->text + array->validated;
    p->per_element = info->kind == DTYPE_KIND_COMPLEX ? 2 : 1;
    p->token_limit = array->count * p->per_element;
    p->format = value_format_get(array->dtype);
    parser_range(&p->stream.range, array->dtype);
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
    if (!p->cancel || !atomic_load_explicit(p->cancel, memory_order_relaxed))
        return true;
    return status_fail(p->st, STATUS_CANCELLED, "cancelled");
}

bool parser_in_range(const struct parser *p, const char *token, size_t len)
{
    const struct float_range *range = p->format->range;

    return range ? range->holds(token, len)
                 : number_range_holds(&p->stream.range, token, len);
}
