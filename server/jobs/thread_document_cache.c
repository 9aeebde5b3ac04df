#include "server/jobs/thread_document_cache.h"

#include <pthread.h>
#include <stdbool.h>

#include "api/api.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

static void free_cache(void *cache)
{
    api_cache_free(cache);
}

static void make_key(void)
{
    has_key = pthread_key_create(&key, free_cache) == 0;
}

struct document_cache *thread_document_cache(void)
{
    struct document_cache *cache;

    pthread_once(&once, make_key);
    cache = has_key ? pthread_getspecific(key) : NULL;
    if (cache || !has_key)
        return cache;
    cache = api_cache_new();
    if (!cache || pthread_setspecific(key, cache) == 0)
        return cache;
    api_cache_free(cache);
    return NULL;
}
