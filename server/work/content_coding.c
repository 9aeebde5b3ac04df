#include "server/work/content_coding.h"

#include <string.h>
#include <zlib.h>

#include "api/base/accept.h"

static const struct {
    const char *name;
    enum content_coding coding;
} names[] = {
    {"gzip", CODING_GZIP},
    {"x-gzip", CODING_GZIP},
    {"deflate", CODING_DEFLATE},
    {"identity", CODING_IDENTITY},
};

/* The coding of this name; false if there is none. */
static bool find_name(const struct accept_entry *entry,
                      enum content_coding *coding)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!accept_is(entry, names[i].name))
            continue;
        *coding = names[i].coding;
        return true;
    }
    return false;
}

bool content_coding_parse(const char *text, enum content_coding *coding)
{
    struct accept_entry entry = {.name = text};

    *coding = CODING_IDENTITY;
    if (!text)
        return true;
    entry.len = strcspn(text, " \t");
    text += entry.len;
    return find_name(&entry, coding) && text[strspn(text, " \t")] == '\0';
}

/* The coding of a list that names one coding, the identity aside. */
static enum content_coding choose_only(const char *accept)
{
    enum content_coding coding, only = CODING_IDENTITY;
    struct accept_entry entry;
    int named = 0;

    while ((accept = accept_next(accept, &entry))) {
        bool found = find_name(&entry, &coding);

        if (entry.weight == 0 || (found && coding == CODING_IDENTITY))
            continue;
        named++;
        only = found ? coding : CODING_IDENTITY;
    }
    return named == 1 ? only : CODING_IDENTITY;
}

/* The coding with the largest weight; of equal ones the first in the list. */
static enum content_coding choose_best(const char *accept)
{
    static const char *const gzips[] = {"gzip", "x-gzip", NULL};
    static const char *const deflates[] = {"deflate", NULL};
    static const char *const patterns[] = {"*", NULL};
    int gzip_at, deflate_at;
    int gzip = accept_weight(accept, gzips, patterns, &gzip_at);
    int deflate = accept_weight(accept, deflates, patterns, &deflate_at);

    if (deflate > gzip || (deflate == gzip && deflate_at < gzip_at))
        return deflate > 0 ? CODING_DEFLATE : CODING_IDENTITY;
    return gzip > 0 ? CODING_GZIP : CODING_IDENTITY;
}

enum content_coding content_coding_choose(const char *accept,
                                          enum content_coding_policy policy)
{
    if (!accept || policy == CODING_NEVER)
        return CODING_IDENTITY;
    return policy == CODING_AUTO ? choose_only(accept) : choose_best(accept);
}

bool content_coding_accepts(const char *accept, enum content_coding coding)
{
    enum content_coding found;
    struct accept_entry entry;

    while (accept && (accept = accept_next(accept, &entry)))
        if (find_name(&entry, &found) && found == coding && entry.weight > 0)
            return true;
    return false;
}

const char *content_coding_name(enum content_coding coding)
{
    static const char *const sent[] = {
        [CODING_GZIP] = "gzip", [CODING_DEFLATE] = "deflate"};

    return sent[coding];
}

int content_coding_window_bits(enum content_coding coding)
{
    return coding == CODING_GZIP ? MAX_WBITS + 16 : MAX_WBITS;
}
