#include "api/document/document.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/number/number.h"
#include "kernels/core/shorten.h"

struct document *document_new(size_t extra, struct status *st)
{
    struct document *doc = calloc(1, sizeof(*doc) + extra);

    if (doc)
        atomic_init(&doc->references, 1);
    else
        status_fail(st, STATUS_NO_MEMORY, "out of memory");
    return doc;
}

struct document *document_ref(struct document *doc)
{
    atomic_fetch_add_explicit(&doc->references, 1, memory_order_relaxed);
    return doc;
}

void document_unref(struct document *doc)
{
    if (!doc || atomic_fetch_sub(&doc->references, 1) > 1)
        return;
    json_decref(doc->tree);
    free(doc);
}

static void print_number(const struct document_parameter *p, char *text)
{
    if (p->text)
        shorten(p->text, strlen(p->text), text, DOCUMENT_VALUE_SIZE);
    else if (p->kind == DOCUMENT_INT)
        snprintf(text, DOCUMENT_VALUE_SIZE, "%lld", (long long)p->integer);
    else if (p->is_unsigned)
        snprintf(text, DOCUMENT_VALUE_SIZE, "%llu",
                 (unsigned long long)p->integer);
    else
        text[number_print_double(p->real, text)] = '\0';
}

const char *document_parameter_print(const struct document_parameter *p,
                                     char *text)
{
    switch (p->kind) {
    case DOCUMENT_INT:
    case DOCUMENT_REAL:
        print_number(p, text);
        break;
    case DOCUMENT_BOOL:
        strcpy(text, p->flag ? "true" : "false");
        break;
    case DOCUMENT_TEXT:
        snprintf(text, DOCUMENT_VALUE_SIZE, "'%.40s'", p->text);
        break;
    case DOCUMENT_TEXT_LIST:
        snprintf(text, DOCUMENT_VALUE_SIZE, "['%.40s']", p->text);
        break;
    case DOCUMENT_OTHER:
        strcpy(text, "of another type");
        break;
    }
    return text;
}

/* True for digits, perhaps with a sign. */
static bool is_integer_text(const char *text)
{
    text += *text == '-';
    return *text && strspn(text, "0123456789") == strlen(text);
}

const char *document_integer_wanted(const struct document_parameter *p)
{
    return (p->kind == DOCUMENT_REAL && fabs(p->real) >= 0x1p63) ||
                   (p->kind == DOCUMENT_TEXT && is_integer_text(p->text))
               ? "an integer from -9223372036854775808 to 9223372036854775807"
               : "an integer";
}
