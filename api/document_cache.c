#include "api/document_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/scan.h"

enum {
    PLACES = 4,
    /* Bytes around the cuts of a document that is kept; jansson's tree of it
     * takes some 20 times that. */
    LARGEST = 2048,
};

struct place {
    struct document *doc; /* a hold; NULL when the place is empty */
    int cut_count;
    size_t ends[DOCUMENT_MAX_INPUTS + 1]; /* of the pieces, in `around` */
    char around[LARGEST]; /* the pieces before, between and behind the cuts */
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

/* Whether the pieces stand before `end`, behind each of them an array: the
 * skimmer would cut those out, for it does not look at what is inside. */
static bool cut_as(const struct place *place, const char *text, const char *end,
                   struct json_cut *cuts)
{
    const char *at = text;
    size_t from = 0;

    for (int i = 0; i < place->cut_count; i++) {
        size_t piece = place->ends[i] - from;

        if ((size_t)(end - at) <= piece || at[piece] != '[' ||
            memcmp(at, place->around + from, piece) != 0)
            return false;
        cuts[i].start = (size_t)(at + piece - text);
        at = scan_array_end(at + piece, end);
        if (!at)
            return false;
        cuts[i].len = (size_t)(at - text) - cuts[i].start;
        from = place->ends[i];
    }
    return at == end;
}

/* The last piece is compared first: no array is passed over in a document that
 * ends in another way. */
static bool fits(const struct place *place, const char *text, size_t len,
                 struct json_cut *cuts)
{
    int count = place->cut_count;
    size_t kept = place->ends[count];
    size_t tail = count > 0 ? kept - place->ends[count - 1] : kept;

    return len >= kept &&
           memcmp(text + len - tail, place->around + kept - tail, tail) == 0 &&
           cut_as(place, text, text + len - tail, cuts);
}

struct document *document_cache_find(const char *text, size_t len,
                                     struct json_cut *cuts)
{
    const struct cache *cache = get_cache();

    for (int i = 0; cache && i < PLACES; i++) {
        const struct place *place = &cache->places[i];

        if (place->doc && fits(place, text, len, cuts))
            return document_hold(place->doc);
    }
    return NULL;
}

static size_t bytes_around(const struct json_skim *skim, size_t len)
{
    for (int i = 0; i < skim->cut_count; i++)
        len -= skim->cuts[i].len;
    return len;
}

static void copy_around(struct place *place, const char *text, size_t len,
                        const struct json_skim *skim)
{
    size_t from = 0, to = 0;

    place->cut_count = skim->cut_count;
    for (int i = 0; i <= skim->cut_count; i++) {
        const struct json_cut *cut = &skim->cuts[i];
        size_t end = i < skim->cut_count ? cut->start : len;

        memcpy(place->around + to, text + from, end - from);
        to += end - from;
        place->ends[i] = to;
        from = end + cut->len;
    }
}

void document_cache_put(const char *text, size_t len,
                        const struct json_skim *skim, struct document *doc)
{
    struct cache *cache = get_cache();
    struct place *place;

    if (skim->cut_count > DOCUMENT_MAX_INPUTS ||
        bytes_around(skim, len) > LARGEST)
        return;
    if (!cache)
        cache = new_cache();
    if (!cache)
        return;
    place = &cache->places[cache->next++ % PLACES];
    document_drop(place->doc);
    place->doc = document_hold(doc);
    copy_around(place, text, len, skim);
}

void document_cache_drop(void)
{
    struct cache *cache = get_cache();

    if (cache && pthread_setspecific(key, NULL) == 0)
        free_cache(cache);
}
