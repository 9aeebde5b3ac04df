#include "api/prescan/prescan.h"

#include <stdlib.h>
#include <string.h>

#include "api/base/digits.h"

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

/* Writes the stripped text; sets the marks of the spans. */
static bool strip(const char *text, struct stripped_document *stripped,
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

size_t prescan_origin(const struct stripped_document *stripped, size_t position)
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

void prescan_free(struct stripped_document *stripped)
{
    free(stripped->text);
    stripped->text = NULL;
    stripped->len = 0;
}

static bool check_size(const struct walk *w)
{
    size_t outside = walk_offset(w) - w->span_bytes;

    if (outside <= PRESCAN_MAX_STRIPPED)
        return true;
    return status_fail(w->st, STATUS_TOO_LARGE,
                       "the document has more than %d bytes outside of its "
                       "data arrays",
                       PRESCAN_MAX_STRIPPED);
}

static bool pass_document(struct walk *w)
{
    do {
        if (w->at == w->end)
            return walk_fail(w, w->values ? "the document ends too early"
                                          : "the document is empty");
        if (!walk_step(w) || !check_size(w))
            return false;
    } while (w->depth > 0 || w->values == 0);
    w->stripped->end = walk_offset(w);
    walk_skip_space(w);
    return w->at == w->end || walk_fail(w, "bytes follow the document");
}

static struct walk start(const struct document_text *text,
                         struct stripped_document *stripped, struct status *st)
{
    *stripped = (struct stripped_document){0};
    return (struct walk){.document = text,
                         .end = text->text + text->len,
                         .at = text->text,
                         .stripped = stripped,
                         .st = st};
}

bool prescan_document(const struct document_text *text,
                      struct stripped_document *stripped, size_t *trailing_at,
                      struct status *st)
{
    struct walk w = start(text, stripped, st);
    bool ok = pass_document(&w);

    *trailing_at = ok ? 0 : stripped->end;
    return ok && strip(text->text, stripped, st);
}

bool prescan_open_array(const char *text, size_t len, struct open_array *open)
{
    const struct document_text document = {.text = text, .len = len};
    struct stripped_document stripped;
    struct status st;
    struct walk w = start(&document, &stripped, &st);

    pass_document(&w);
    *open = w.open;
    return open->start > 0;
}

uint64_t prescan_timeout(const char *text, size_t len)
{
    const struct document_text document = {.text = text, .len = len};
    struct stripped_document stripped;
    struct status st;
    struct walk w = start(&document, &stripped, &st);
    uint64_t timeout;
    bool found = pass_document(&w) &&
                 digits_read(text + w.timeout.start, w.timeout.len, &timeout);

    return found ? timeout : 0;
}
