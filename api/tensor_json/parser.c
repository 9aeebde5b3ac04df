#include "api/tensor_json/parser.h"

#include <limits.h>

#include "api/number/number.h"
#include "api/tensor_json/diagnose.h"

enum { PAUSE = 1 << 20 }; /* bytes between two looks at `cancel` */

static size_t count_digits(uint64_t value)
{
    size_t digits = 1;

    for (; value >= 10; value /= 10)
        digits++;
    return digits;
}

static struct text_limit limit_text(uint64_t value)
{
    struct text_limit text = {0, 0};

    for (int i = 0; value > 0 && i < 16; i++, value /= 10) {
        uint64_t *half = i < 8 ? &text.low : &text.high;

        *half |= ('0' + value % 10) << (i % 8 * 8);
    }
    return text;
}

static void set_limits(struct text_scan *s, const struct dtype_info *info)
{
    switch (info->kind) {
    case DTYPE_KIND_INT:
        s->most = (UINT64_C(1) << (info->bits - 1)) - 1;
        s->least = s->most + 1;
        break;
    case DTYPE_KIND_UINT:
        s->most = UINT64_MAX >> (64 - info->bits);
        s->least = 0;
        break;
    default:
        break;
    }
    /* Fewer digits than the limit has are below it. */
    s->safe_digits = count_digits(s->most) - 1;
    s->safe_negative_digits = count_digits(s->least) - 1;
    s->most_text = limit_text(s->most);
    s->least_text = limit_text(s->least);
}

/* The greatest n with 10^n in range. */
static size_t power_in_range(enum dtype dtype)
{
    switch (dtype) {
    case DTYPE_FP16:
        return 4;
    case DTYPE_BF16:
    case DTYPE_FP32:
    case DTYPE_COMPLEX64:
        return 38;
    case DTYPE_FP64:
    case DTYPE_COMPLEX128:
        return 308;
    default:
        return 0;
    }
}

void text_scan_limits(struct text_scan *s)
{
    const struct dtype_info *info = dtype_info(s->a->dtype);

    s->per_element = info->kind == DTYPE_KIND_COMPLEX ? 2 : 1;
    s->token_limit = s->a->count * s->per_element;
    s->bits = info->bits / s->per_element;
    s->safe_exponent = power_in_range(s->a->dtype);
    set_limits(s, info);
}

bool text_scan_init(struct text_scan *s, const struct data_array *a,
                    const atomic_bool *cancel, struct status *st)
{
    *s = (struct text_scan){.a = a, .cancel = cancel, .st = st};
    if (!tensor_json_supports(a->dtype, a->name, st))
        return false;
    if (a->len > UINT32_MAX)
        return status_fail(st, STATUS_TOO_LARGE,
                           "data of '%s' has %zu bytes of text, more than %lu",
                           a->name, a->len, (unsigned long)UINT32_MAX);
    s->at = a->text;
    s->end = a->text + a->len;
    s->known = a->text + a->validated;
    s->pause = a->text;
    if (a->len == 0 || *a->text != '[')
        return text_refuse_byte(s, a->text, "'[' is expected");
    if (a->len == 1 || s->end[-1] != ']')
        return text_refuse_byte(s, s->end, "the array is not closed");
    text_scan_limits(s);
    return true;
}

void text_scan_rows(struct text_scan *s, struct span *rows, uint64_t row,
                    uint64_t limit)
{
    s->rows = rows;
    s->row_limit = limit;
    s->row = row * s->per_element;
    s->missing = s->row;
}

bool text_scan_pause(struct text_scan *s, const char *at)
{
    s->pause = s->end - at > PAUSE ? at + PAUSE : s->end;
    if (!s->cancel || !atomic_load_explicit(s->cancel, memory_order_relaxed))
        return true;
    return status_fail(s->st, STATUS_CANCELLED, "cancelled");
}

static bool integer_in_range(const struct text_scan *s, const char *token,
                             size_t len)
{
    bool negative = *token == '-';
    uint64_t limit = negative ? s->least : s->most;
    uint64_t value = 0;

    for (size_t i = negative; i < len; i++) {
        uint64_t digit = (uint64_t)(token[i] - '0');

        if (value > limit / 10 || limit - value * 10 < digit)
            return false;
        value = value * 10 + digit;
    }
    return true;
}

bool text_scan_in_range(const struct text_scan *s, const char *token,
                        size_t len)
{
    uint16_t narrow;
    float single;
    double value;

    switch (s->a->dtype) {
    case DTYPE_FP16:
        return number_parse_half(token, len, &narrow);
    case DTYPE_BF16:
        return number_parse_bfloat(token, len, &narrow);
    case DTYPE_FP32:
    case DTYPE_COMPLEX64:
        return number_parse_float(token, len, &single);
    case DTYPE_FP64:
    case DTYPE_COMPLEX128:
        return number_parse_double(token, len, &value);
    default:
        return integer_in_range(s, token, len);
    }
}
