#include "api/document/cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/lex/scan.h"

enum {
    PLACES = 8,
    /* Bytes of a document that is kept, without its data; jansson's tree of it
     * takes some 20 times that. */
    LARGEST = 2048,
    MAX_GAPS = DOCUMENT_MAX_INPUTS + 1,
};

/* A document in which there are gaps for the data arrays and the id. */
struct place {
    struct document *doc; /* a hold; NULL when the place is empty */
    int gap_count;
    int id_gap;                /* which one is the id's, or -1 */
    size_t ends[MAX_GAPS + 1]; /* of the pieces, in `around` */
    char around[LARGEST];      /* what is before, between and behind the gaps */
};

struct gaps {
    int count;
    int id; /* as in a place */
    struct json_cut all[MAX_GAPS];
};

struct cache {
    unsigned next; /* place to be taken */
    struct place places[PLACES];
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* struct cache of each thread, freed at its end */
static bool has_key;

static void free_cache(void *context)
{
    struct cache *cache = context;

    for (int i = 0; i < PLACES; i++)
        document_drop(cache->places[i].doc);
    free(cache);
}

static void make_key(void)
{
    has_key = pthread_key_create(&key, free_cache) == 0;
}

static struct cache *get_cache(void)
{
    pthread_once(&once, make_key);
    return has_key ? pthread_getspecific(key) : NULL;
}

static struct cache *new_cache(void)
{
    struct cache *cache = has_key ? malloc(sizeof(*cache)) : NULL;

    if (!cache)
        return NULL;
    cache->next = 0;
    for (int i = 0; i < PLACES; i++)
        cache->places[i].doc = NULL;
    if (pthread_setspecific(key, cache) == 0)
        return cache;
    free(cache);
    return NULL;
}

/* Behind the string at `at`, or NULL when it is none that stands for itself:
 * jansson would have to look at any other. */
static const char *pass_id(const char *at, const char *end,
                           struct document_own *own)
{
    const char *start = at + 1;

    if (*at != '"')
        return NULL;
    for (at = start; at < end && *at >= ' ' && *at < 0x7F && *at != '"'; at++)
        if (*at == '\\')
            return NULL;
    if (at == end || *at != '"')
        return NULL;
    own->id_len = (size_t)(at - start);
    own->id = own->id_len > 0 ? start : NULL;
    return at + 1;
}

/* Behind the array at `at`, or NULL. The skimmer would cut it out as well, and
 * not look at what is inside either. */
static const char *pass_array(const char *text, const char *at, const char *end,
                              const struct json_known *known,
                              struct json_cut *cut)
{
    const char *behind =
        *at == '[' ? json_array_end(text, at, end, known) : NULL;

    if (behind) {
        cut->start = (size_t)(at - text);
        cut->len = (size_t)(behind - at);
    }
    return behind;
}

/* Whether the pieces stand before `end` with what belongs there in the gaps. */
static bool pass_gaps(const struct place *place, const char *text,
                      const char *end, struct document_own *own)
{
    struct json_cut *cut = own->cuts;
    const char *at = text;
    size_t from = 0;

    for (int i = 0; i < place->gap_count; i++) {
        size_t piece = place->ends[i] - from;

        if ((size_t)(end - at) <= piece ||
            memcmp(at, place->around + from, piece) != 0)
            return false;
        at += piece;
        at = i == place->id_gap ? pass_id(at, end, own)
                                : pass_array(text, at, end, &own->known, cut++);
        if (!at)
            return false;
        from = place->ends[i];
    }
    return at == end;
}

/* The last piece is compared first: no array is passed over in a document that
 * ends in another way. */
static bool fits(const struct place *place, const char *text, size_t len,
                 struct document_own *own)
{
    int count = place->gap_count;
    size_t kept = place->ends[count];
    size_t tail = count > 0 ? kept - place->ends[count - 1] : kept;

    own->id = NULL;
    own->id_len = 0;
    return len >= kept &&
           memcmp(text + len - tail, place->around + kept - tail, tail) == 0 &&
           pass_gaps(place, text, text + len - tail, own);
}

struct document *document_cache_find(const char *text, size_t len,
                                     struct document_own *own)
{
    const struct cache *cache = get_cache();

    for (int i = 0; cache && i < PLACES; i++) {
        const struct place *place = &cache->places[i];

        if (place->doc && fits(place, text, len, own))
            return document_hold(place->doc);
    }
    return NULL;
}

/* Whether the id, if any, is what stands between its quotes. */
static bool has_plain_id(const struct json_skim *skim,
                         const struct document_own *own)
{
    return own->id_len + (skim->id.len > 0 ? 2 : 0) == skim->id.len;
}

/* In the text's order. */
static struct gaps list_gaps(const struct json_skim *skim)
{
    struct gaps gaps = {.id = -1};
    int i = 0;

    if (skim->id.len > 0) {
        while (i < skim->cut_count && skim->cuts[i].start < skim->id.start)
            gaps.all[gaps.count++] = skim->cuts[i++];
        gaps.id = gaps.count;
        gaps.all[gaps.count++] = skim->id;
    }
    while (i < skim->cut_count)
        gaps.all[gaps.count++] = skim->cuts[i++];
    return gaps;
}

static size_t bytes_around(const struct gaps *gaps, size_t len)
{
    for (int i = 0; i < gaps->count; i++)
        len -= gaps->all[i].len;
    return len;
}

static void fill(struct place *place, const char *text, size_t len,
                 const struct gaps *gaps)
{
    size_t from = 0, to = 0;

    place->gap_count = gaps->count;
    place->id_gap = gaps->id;
    for (int i = 0; i <= gaps->count; i++) {
        size_t end = i < gaps->count ? gaps->all[i].start : len;

        memcpy(place->around + to, text + from, end - from);
        to += end - from;
        place->ends[i] = to;
        if (i < gaps->count)
            from = end + gaps->all[i].len;
    }
}

void document_cache_put(const char *text, size_t len,
                        const struct json_skim *skim,
                        const struct document_own *own, struct document *doc)
{
    struct cache *cache = get_cache();
    struct gaps gaps;
    struct place *place;

    if (skim->cut_count > DOCUMENT_MAX_INPUTS || !has_plain_id(skim, own))
        return;
    gaps = list_gaps(skim);
    if (bytes_around(&gaps, len) + skim->id.len > LARGEST)
        return;
    if (!cache)
        cache = new_cache();
    if (!cache)
        return;
    place = &cache->places[cache->next++ % PLACES];
    document_drop(place->doc);
    place->doc = document_hold(doc);
    fill(place, text, len, &gaps);
}

void document_cache_drop(void)
{
    struct cache *cache = get_cache();

    if (cache && pthread_setspecific(key, NULL) == 0)
        free_cache(cache);
}
