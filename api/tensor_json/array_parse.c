/* Follows the lists of a data array, without recursion. */
#include "api/tensor_json/diagnose.h"
#include "api/tensor_json/nesting.h"

/* The elements of a list, from the first one to its ']'. */
static bool read_run(struct text_scan *s, struct text_nest *nest,
                     text_run_fn run)
{
    uint64_t before = s->tokens;

    if (nest->leaves > 0 && nest->leaves != nest->level)
        return text_refuse_list(s, s->at);
    nest->leaves = nest->level;
    s->at += s->passed;
    s->tokens += s->passed_tokens;
    s->passed = s->passed_tokens = 0;
    if (!run(s))
        return false;
    nest->items[nest->level] = s->tokens - before;
    return true;
}

/* From the byte behind a '[' to the first ']': opens what is nested. */
static bool descend(struct text_scan *s, struct text_nest *nest,
                    text_run_fn run)
{
    for (;;) {
        s->at = text_scan_space(s->at);
        if (*s->at == ']')
            return true;
        if (*s->at != '[')
            return read_run(s, nest, run);
        if (!text_nest_open(nest, s, s->at))
            return false;
        s->at++;
    }
}

/* Closes lists from s->at, a ']', on; leaves s->at behind the ',' that follows
 * them, or at the end. */
static bool ascend(struct text_scan *s, struct text_nest *nest)
{
    for (;;) {
        if (!text_nest_close(nest, s, s->at))
            return false;
        s->at++;
        if (nest->level == 0)
            break;
        if (s->at == s->end)
            return text_refuse_byte(s, s->at, "the array is not closed");
        s->at = text_scan_space(s->at);
        if (*s->at == ',') {
            s->at++;
            return true;
        }
        if (*s->at != ']')
            return text_refuse_byte(s, s->at, "',' or ']' is expected");
    }
    if (s->at != s->end)
        return text_refuse_byte(s, s->at, "bytes follow the array");
    return true;
}

bool text_walk(struct text_scan *s, text_run_fn run)
{
    struct text_nest nest;

    text_nest_init(&nest, s);
    while (s->at != s->end) {
        s->at = text_scan_space(s->at);
        if (*s->at != '[')
            return text_refuse_list(s, s->at);
        if (s->at >= s->pause && !text_scan_pause(s, s->at))
            return false;
        if (!text_nest_open(&nest, s, s->at))
            return false;
        s->at++;
        if (!descend(s, &nest, run) || !ascend(s, &nest))
            return false;
    }
    return text_nest_fits(&nest, s);
}
