#include "tests/api/document/kept.h"

#include <check.h>
#include <string.h>

struct document *kept_read(const char *text)
{
    struct document_own own = {.text = NULL};
    struct status st = {.message = ""};
    struct document *doc = document_read(text, strlen(text), false, &own, &st);

    ck_assert_msg(doc != NULL, "%s: %s", text, st.message);
    return doc;
}

void kept_put(const char *text)
{
    document_drop(kept_read(text));
}

bool kept_finds(const char *text)
{
    struct document_own own = {.text = NULL};
    struct document *doc = document_cache_find(text, strlen(text), &own);

    document_drop(doc);
    return doc != NULL;
}
