#include "api/prescan/prescan.h"

#include <stdlib.h>
#include <string.h>

#include "api/lex/number_token.h"
#include "api/number/number.h"
#include "api/prescan/foreign.h"

_Static_assert(WALK_MAX_SPANS < 100, "a blank follows each number");

/* Writes the stripped text of a document that ends at w->end. */
static bool strip(const struct walk *w)
{
    struct stripped_document *stripped = w->stripped;
    const char *text = w->document->text, *from = text;
    char *to;

    stripped->len = (size_t)(w->end - text) - w->span_bytes +
                    WALK_REPLACED * (size_t)stripped->span_count;
    to = stripped->text = malloc(stripped->len + 1);
    if (!to)
        return status_fail(w->st, STATUS_NO_MEMORY, "out of memory");
    for (int i = 0; i < stripped->span_count; i++) {
        const struct data_span *span = &stripped->spans[i];

        to = mempcpy(to, from, (size_t)(text + span->start - from));
        to[0] = (char)(i < 10 ? ' ' : '0' + i / 10);
        to[1] = (char)('0' + i % 10);
        to[2] = ' ';
        to += WALK_REPLACED;
        from = text + span->start + span->len;
    }
    to = mempcpy(to, from, (size_t)(w->end - from));
    *to = '\0';
    memset(stripped->text, ' ', foreign_mark(text, w->document->len));
    return true;
}

size_t prescan_origin(const struct stripped_document *stripped, size_t position)
{
    for (int i = 0; i < stripped->span_count; i++) {
        const struct data_span *span = &stripped->spans[i];

        if (position < span->start)
            break;
        if (position < span->start + WALK_REPLACED)
            return span->start;
        position += span->len - WALK_REPLACED;
    }
    return position;
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

/* At bytes behind the document, which ended at `end`. Without the header its
 * sender may have meant them as binary tensors. */
static bool refuse_trailing(struct walk *w, const char *end)
{
    if (w->document->has_header)
        return walk_fail(w, "bytes follow the document");
    return status_fail(w->st, STATUS_INVALID,
                       "%zu bytes follow the JSON document, which ends at "
                       "byte %zu: binary tensors need the header "
                       "Inference-Header-Content-Length: %zu",
                       (size_t)(w->end - end),
                       (size_t)(end - w->document->text),
                       (size_t)(end - w->document->text));
}

/* Leaves w->at behind the brace that closes the document. */
static bool pass_object(struct walk *w)
{
    const struct document_text *document = w->document;

    if (!foreign_is_object(document->text, document->len))
        return foreign_refuse("body", document->text, document->len, w->st);
    w->at += foreign_mark(document->text, document->len);
    walk_skip_space(w);
    do {
        if (w->at == w->end)
            return walk_fail(w, "the document ends too early");
        if (!walk_step(w) || !check_size(w))
            return false;
    } while (w->depth > 0);
    return true;
}

/* Leaves w->end at the end of the document, before any white space. */
static bool pass_document(struct walk *w)
{
    const char *end;

    if (!pass_object(w))
        return false;
    end = w->at;
    walk_skip_space(w);
    if (w->at < w->end)
        return refuse_trailing(w, end);
    w->end = end;
    return true;
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
                      struct stripped_document *stripped, struct status *st)
{
    struct walk w = start(text, stripped, st);

    return pass_document(&w) && strip(&w);
}

bool prescan_end(const char *text, size_t len, size_t *end)
{
    const struct document_text document = {.text = text, .len = len};
    struct stripped_document stripped;
    struct status st;
    struct walk w = start(&document, &stripped, &st);
    bool closed = pass_object(&w);

    *end = walk_offset(&w);
    return closed;
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

/* The request is refused later where the timeout is no integer of 0 or more. */
static uint64_t read_timeout(const char *text, size_t len)
{
    int64_t timeout;

    if (len == 0 || !scan_is_digit(*text) ||
        number_token_read(text, text + len).end != text + len ||
        integer_read(text, len, &timeout) != INTEGER_EXACT)
        return 0;
    return (uint64_t)timeout;
}

uint64_t prescan_timeout(const char *text, size_t len)
{
    const struct document_text document = {.text = text, .len = len};
    struct stripped_document stripped;
    struct status st;
    struct walk w = start(&document, &stripped, &st);

    return pass_document(&w)
               ? read_timeout(text + w.timeout.start, w.timeout.len)
               : 0;
}
