#include "api/tree_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/json_skim.h"

enum {
    PLACES = 4,
    /* Bytes of a skeleton that is kept; its tree takes some 20 times that. */
    LARGEST = 2048,
};

struct place {
    json_t *tree; /* owned; NULL when the place is empty */
    size_t bytes; /* of heap that the tree takes */
    size_t len;
    char skeleton[LARGEST];
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
        json_decref(cache->places[i].tree);
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
        cache->places[i].tree = NULL;
    if (pthread_setspecific(key, cache) == 0)
        return cache;
    free(cache);
    return NULL;
}

json_t *tree_cache_find(const struct json_skim *skim, size_t *bytes)
{
    const struct cache *cache = get_cache();

    for (int i = 0; cache && i < PLACES; i++) {
        const struct place *place = &cache->places[i];

        if (!place->tree || place->len != skim->len ||
            memcmp(place->skeleton, skim->skeleton, skim->len) != 0)
            continue;
        *bytes = place->bytes;
        return json_incref(place->tree);
    }
    return NULL;
}

void tree_cache_put(const struct json_skim *skim, json_t *tree, size_t bytes)
{
    struct cache *cache = get_cache();
    struct place *place;

    if (!cache && skim->len <= LARGEST)
        cache = new_cache();
    if (!cache || skim->len > LARGEST)
        return;
    place = &cache->places[cache->next++ % PLACES];
    json_decref(place->tree);
    place->tree = json_incref(tree);
    place->bytes = bytes;
    place->len = skim->len;
    memcpy(place->skeleton, skim->skeleton, skim->len);
}

void tree_cache_drop(void)
{
    struct cache *cache = get_cache();

    if (cache && pthread_setspecific(key, NULL) == 0)
        free_cache(cache);
}
