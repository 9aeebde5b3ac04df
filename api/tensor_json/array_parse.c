#include "api/tensor_json/array_parse.h"

#include "api/lex/scan.h"
#include "api/tensor_json/diagnose.h"
#include "api/tensor_json/nesting.h"

bool array_parse_start(struct parser *p, const struct data_array *array,
                       const atomic_bool *cancel, struct status *st)
{
    if (!tensor_json_supports(array->dtype, array->name, st))
        return false;
    if (array->len > UINT32_MAX)
        return status_fail(st, STATUS_TOO_LARGE,
                           "data of '%s' has %zu bytes of text, more than %lu",
                           array->name, array->len, (unsigned long)UINT32_MAX);
    parser_init(p, array, cancel, st);
    if (array->len == 0 || *array->text != '[')
        return diagnose_byte(p, array->text, "'[' is expected");
    if (array->len == 1 || p->stream.end[-1] != ']')
        return diagnose_byte(p, p->stream.end, "the array is not closed");
    return true;
}

/* Reads the elements of a list, from the first one to its ']'. */
static bool read_elements(struct parser *p, struct nesting *nesting,
                          tokens_fn read_list)
{
    struct token_stream *s = &p->stream;
    uint64_t before = s->tokens;

    if (nesting->leaves > 0 && nesting->leaves != nesting->level)
        return diagnose_list(p, s->at);
    nesting->leaves = nesting->level;
    if (!read_list(p))
        return false;
    nesting->items[nesting->level] = s->tokens - before;
    return true;
}

/* From the byte after a '[' to the first ']': opens the lists in it. */
static bool descend(struct parser *p, struct nesting *nesting,
                    tokens_fn read_list)
{
    struct token_stream *s = &p->stream;

    for (;;) {
        s->at = scan_skip_space(s->at);
        if (*s->at == ']')
            return true;
        if (*s->at != '[')
            return read_elements(p, nesting, read_list);
        if (!nesting_open(nesting, p, s->at))
            return false;
        s->at++;
    }
}

/* Closes lists from the ']' at `at` on. Moves `at` to the byte after the ','
 * that follows them, or to the end. */
static bool ascend(struct parser *p, struct nesting *nesting)
{
    struct token_stream *s = &p->stream;

    for (;;) {
        if (!nesting_close(nesting, p))
            return false;
        s->at++;
        if (nesting->level == 0)
            break;
        if (s->at == s->end)
            return diagnose_byte(p, s->at, "the array is not closed");
        s->at = scan_skip_space(s->at);
        if (*s->at == ',') {
            s->at++;
            return true;
        }
        if (*s->at != ']')
            return diagnose_byte(p, s->at, "',' or ']' is expected");
    }
    if (s->at != s->end)
        return diagnose_byte(p, s->at, "bytes follow the array");
    return true;
}

bool array_parse(struct parser *p, tokens_fn read_list)
{
    struct token_stream *s = &p->stream;
    struct nesting nesting;

    nesting_init(&nesting, p);
    while (s->at != s->end) {
        s->at = scan_skip_space(s->at);
        if (*s->at != '[')
            return diagnose_list(p, s->at);
        if (s->at >= s->next_cancel_check && !parser_check_cancel(p, s->at))
            return false;
        if (!nesting_open(&nesting, p, s->at))
            return false;
        s->at++;
        if (!descend(p, &nesting, read_list) || !ascend(p, &nesting))
            return false;
    }
    return nesting_fits(&nesting, p);
}
