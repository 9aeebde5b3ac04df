#include "api/prescan/stripped.h"

#include <stdlib.h>
#include <string.h>

/* Writes the number of span `i` and a blank: without it a digit that follows
 * the array would become part of the number. Returns the length. */
static size_t write_number(char *out, int i)
{
    size_t len = 0;

    if (i >= 10)
        out[len++] = (char)('0' + i / 10);
    out[len++] = (char)('0' + i % 10);
    out[len++] = ' ';
    return len;
}

static size_t number_len(int i)
{
    return i >= 10 ? 3 : 2;
}

static size_t measure(const struct stripped_document *stripped)
{
    size_t len = stripped->end;

    for (int i = 0; i < stripped->span_count; i++)
        len = len - stripped->spans[i].len + number_len(i);
    return len;
}

bool stripped_build(const char *text, struct stripped_document *stripped,
                    struct status *st)
{
    size_t from = 0, to = 0;

    stripped->text = malloc(measure(stripped) + 1);
    if (!stripped->text)
        return status_fail(st, STATUS_NO_MEMORY, "out of memory");

    for (int i = 0; i < stripped->span_count; i++) {
        struct data_span *span = &stripped->spans[i];

        memcpy(stripped->text + to, text + from, span->start - from);
        to += span->start - from;
        span->mark = to;
        to += write_number(stripped->text + to, i);
        from = span->start + span->len;
    }
    memcpy(stripped->text + to, text + from, stripped->end - from);
    stripped->len = to + stripped->end - from;
    stripped->text[stripped->len] = '\0';
    return true;
}

size_t stripped_origin(const struct stripped_document *stripped,
                       size_t position)
{
    size_t shift = 0; /* bytes that the spans before `position` removed */

    for (int i = 0; i < stripped->span_count; i++) {
        const struct data_span *span = &stripped->spans[i];

        if (position < span->mark)
            break;
        if (position < span->mark + number_len(i))
            return span->start;
        shift = span->start + span->len - (span->mark + number_len(i));
    }
    return position + shift;
}

void stripped_free(struct stripped_document *stripped)
{
    free(stripped->text);
    stripped->text = NULL;
    stripped->len = 0;
}
