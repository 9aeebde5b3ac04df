#include "api/prescan/prescan.h"

static bool check_size(const struct walk *w)
{
    size_t outside = (size_t)(w->at - w->text) - w->span_bytes;

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
    w->stripped->end = (size_t)(w->at - w->text);
    return true;
}

bool prescan_document(const struct document_text *text,
                      struct stripped_document *stripped, size_t *trailing_at,
                      struct status *st)
{
    struct walk w = {.text = text->text,
                     .end = text->text + text->len,
                     .at = text->text,
                     .validated = &text->validated,
                     .stripped = stripped,
                     .st = st};

    *stripped = (struct stripped_document){0};
    *trailing_at = 0;
    if (!pass_document(&w))
        return false;
    walk_skip_space(&w);
    if (w.at == w.end)
        return stripped_build(text->text, stripped, st);
    *trailing_at = stripped->end;
    return walk_fail(&w, "bytes follow the document");
}

bool prescan_open_array(const char *text, size_t len, struct open_array *open)
{
    static const struct validated_part nothing;
    struct stripped_document stripped = {.len = 0};
    struct status st;
    struct walk w = {.text = text,
                     .end = text + len,
                     .at = text,
                     .validated = &nothing,
                     .stripped = &stripped,
                     .st = &st};

    pass_document(&w);
    *open = w.open;
    return open->start > 0;
}
