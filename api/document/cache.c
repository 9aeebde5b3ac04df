#include "api/document/cache.h"

#include <stdlib.h>
#include <string.h>

#include "api/lex/scan.h"

enum {
    SLOTS = 8,
    /* Bytes of a cached document without its data, and of jansson's tree of it:
     * some 20 times that, but 90 times for empty objects. */
    LARGEST = 2048,
    LARGEST_TREE = 32 << 10,
    MAX_GAPS = DOCUMENT_MAX_INPUTS + 1,
};

/* A document with a gap for each data array and for the id. */
struct slot {
    struct document *doc; /* a reference; NULL when the slot is empty */
    int gap_count;
    int id_gap;                /* index of the id's gap, or -1 */
    size_t ends[MAX_GAPS + 1]; /* of the pieces around the gaps, in `around` */
    char around[LARGEST];      /* these pieces, without the gaps */
};

struct gaps {
    int count;
    int id; /* index of the id's gap, or -1 */
    struct data_span all[MAX_GAPS];
};

struct document_cache {
    unsigned next; /* slot of the next document, modulo SLOTS */
    struct slot slots[SLOTS];
};

struct document_cache *api_cache_new(void)
{
    return calloc(1, sizeof(struct document_cache));
}

void api_cache_free(struct document_cache *cache)
{
    for (int i = 0; cache && i < SLOTS; i++)
        document_unref(cache->slots[i].doc);
    free(cache);
}

/* Returns the byte behind the string at `at`, or NULL when there is none of
 * plain ASCII without escapes: any other string needs jansson. */
static const char *pass_id(const char *at, const char *end,
                           struct document_instance *instance)
{
    const char *start = at + 1;

    if (*at != '"')
        return NULL;
    for (at = start; at < end && *at >= ' ' && *at < 0x7F && *at != '"'; at++)
        if (*at == '\\')
            return NULL;
    if (at == end || *at != '"')
        return NULL;
    instance->id_len = (size_t)(at - start);
    instance->id = instance->id_len > 0 ? start : NULL;
    return at + 1;
}

/* Returns the byte behind the array at `at`, or NULL. The pre-scan would strip
 * the same array, and would not read its inside either. */
static const char *pass_array(const struct document_text *text, const char *at,
                              const char *end, struct data_span *span)
{
    const char *after = NULL;

    if (*at == '[')
        after = walk_array_end(text, at, end);
    if (after) {
        span->start = (size_t)(at - text->text);
        span->len = (size_t)(after - at);
    }
    return after;
}

/* True if the text before `end` is the slot's pieces with arrays and an id in
 * the gaps. */
static bool match_pieces(const struct slot *slot,
                         const struct document_text *text, const char *end,
                         struct document_instance *instance)
{
    struct data_span *span = instance->spans;
    const char *at = text->text;
    size_t from = 0;

    for (int i = 0; i < slot->gap_count; i++) {
        size_t piece = slot->ends[i] - from;

        if ((size_t)(end - at) <= piece ||
            memcmp(at, slot->around + from, piece) != 0)
            return false;
        at += piece;
        at = i == slot->id_gap ? pass_id(at, end, instance)
                               : pass_array(text, at, end, span++);
        if (!at)
            return false;
        from = slot->ends[i];
    }
    return at == end;
}

/* The last piece is compared first: in a document that ends differently no
 * array is scanned. */
static bool match(const struct slot *slot, const struct document_text *text,
                  struct document_instance *instance)
{
    int count = slot->gap_count;
    size_t around = slot->ends[count];
    size_t tail = count > 0 ? around - slot->ends[count - 1] : around;
    const char *last;

    instance->id = NULL;
    instance->id_len = 0;
    if (text->len < around)
        return false;
    last = text->text + text->len - tail;
    return memcmp(last, slot->around + around - tail, tail) == 0 &&
           match_pieces(slot, text, last, instance);
}

struct document *document_cache_find(const struct document_cache *cache,
                                     const struct document_text *text,
                                     struct document_instance *instance)
{
    for (int i = 0; i < SLOTS; i++) {
        const struct slot *slot = &cache->slots[i];

        if (slot->doc && match(slot, text, instance))
            return document_ref(slot->doc);
    }
    return NULL;
}

/* True if the id, if any, equals the bytes between its quotes. */
static bool has_plain_id(const struct stripped_document *stripped,
                         const struct document_instance *instance)
{
    size_t quotes = stripped->id.len > 0 ? 2 : 0;

    return instance->id_len + quotes == stripped->id.len;
}

/* In the text's order. */
static struct gaps list_gaps(const struct stripped_document *stripped)
{
    struct gaps gaps = {.id = -1};
    const struct data_span *span = stripped->spans;
    const struct data_span *end = span + stripped->span_count;

    if (stripped->id.len > 0) {
        while (span < end && span->start < stripped->id.start)
            gaps.all[gaps.count++] = *span++;
        gaps.id = gaps.count;
        gaps.all[gaps.count++] = stripped->id;
    }
    while (span < end)
        gaps.all[gaps.count++] = *span++;
    return gaps;
}

static size_t bytes_around(const struct gaps *gaps, size_t len)
{
    for (int i = 0; i < gaps->count; i++)
        len -= gaps->all[i].len;
    return len;
}

static void fill(struct slot *slot, const struct document_text *text,
                 const struct gaps *gaps)
{
    size_t from = 0, to = 0;

    slot->gap_count = gaps->count;
    slot->id_gap = gaps->id;
    for (int i = 0; i <= gaps->count; i++) {
        size_t end = i < gaps->count ? gaps->all[i].start : text->len;

        memcpy(slot->around + to, text->text + from, end - from);
        to += end - from;
        slot->ends[i] = to;
        if (i < gaps->count)
            from = end + gaps->all[i].len;
    }
}

void document_cache_add(struct document_cache *cache,
                        const struct document_text *text,
                        const struct stripped_document *stripped,
                        const struct document_instance *instance,
                        struct document *doc)
{
    struct gaps gaps;
    struct slot *slot;

    if (stripped->span_count > DOCUMENT_MAX_INPUTS ||
        doc->tree_bytes > LARGEST_TREE || !has_plain_id(stripped, instance))
        return;
    gaps = list_gaps(stripped);
    if (bytes_around(&gaps, text->len) + stripped->id.len > LARGEST)
        return;
    slot = &cache->slots[cache->next++ % SLOTS];
    document_unref(slot->doc);
    slot->doc = document_ref(doc);
    fill(slot, text, &gaps);
}
