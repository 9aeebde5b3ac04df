/* Data arrays to the binary form. */
#include <string.h>

#include "api/lex/string.h"
#include "api/tensor_json/array_parse.h"
#include "kernels/core/cancel.h"

bool tensor_json_to_binary(const struct data_array *a, void *out,
                           const atomic_bool *cancel, struct status *st)
{
    struct parser p;

    if (!array_parse_start(&p, a, cancel, st))
        return false;
    p.out = out;
    return array_parse(&p, tokens_convert(a->dtype));
}

size_t tensor_json_strings_bound(const struct data_array *a)
{
    size_t count = a->count < a->len ? (size_t)a->count : a->len;

    /* The text of an element has 3 bytes besides its content: two quotes and a
     * comma or a bracket. The binary form has 4. */
    return a->len + count;
}

size_t tensor_json_strings_to_binary(const struct data_array *a,
                                     const struct span *rows,
                                     uint64_t row_count, void *out,
                                     const atomic_bool *cancel)
{
    struct cancel_check check = {.flag = cancel};
    unsigned char *at = out;

    for (uint64_t i = 0; i < row_count; i++) {
        const char *text = a->text + rows[i].start;
        const char *end = text + rows[i].len;

        if (!cancel_step(&check, rows[i].len))
            break;
        while (text < end) {
            uint32_t len;

            if (*text != '"') {
                text++;
                continue;
            }
            len = (uint32_t)string_decode(&text, end, at + sizeof(len));
            memcpy(at, &len, sizeof(len));
            at += sizeof(len) + len;
        }
    }
    return (size_t)(at - (unsigned char *)out);
}
