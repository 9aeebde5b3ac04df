#include "api/prescan/prescan.h"

#include <stdlib.h>
#include <string.h>

#include "api/base/digits.h"

/* Bytes of the number that replaces a data array, with blanks: without them a
 * digit that follows the array would become part of the number. */
enum { NUMBER = 3 };

_Static_assert(WALK_MAX_SPANS < 100, "a blank follows each number");

/* Writes the stripped text of a document that ends at w->end. */
static bool strip(const struct walk *w)
{
    struct stripped_document *stripped = w->stripped;
    const char *text = w->document->text, *from = text;
    char *to;

    stripped->len = (size_t)(w->end - text) - w->span_bytes +
                    NUMBER * (size_t)stripped->span_count;
    to = stripped->text = malloc(stripped->len + 1);
    if (!to)
        return status_fail(w->st, STATUS_NO_MEMORY, "out of memory");
    for (int i = 0; i < stripped->span_count; i++) {
        const struct data_span *span = &stripped->spans[i];

        to = mempcpy(to, from, (size_t)(text + span->start - from));
        to[0] = (char)(i < 10 ? ' ' : '0' + i / 10);
        to[1] = (char)('0' + i % 10);
        to[2] = ' ';
        to += NUMBER;
        from = text + span->start + span->len;
    }
    to = mempcpy(to, from, (size_t)(w->end - from));
    *to = '\0';
    return true;
}

size_t prescan_origin(const struct stripped_document *stripped, size_t position)
{
    for (int i = 0; i < stripped->span_count; i++) {
        const struct data_span *span = &stripped->spans[i];

        if (position < span->start)
            break;
        if (position < span->start + NUMBER)
            return span->start;
        position += span->len - NUMBER;
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
                       "Inference-Header-Content-Length",
                       (size_t)(w->end - end),
                       (size_t)(end - w->document->text));
}

/* Leaves w->end at the end of the document, before any white space. */
static bool pass_document(struct walk *w)
{
    const char *end;

    do {
        if (w->at == w->end)
            return walk_fail(w, w->values ? "the document ends too early"
                                          : "the document is empty");
        if (!walk_step(w) || !check_size(w))
            return false;
    } while (w->depth > 0 || w->values == 0);
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
