#include "server/http/arrivals.h"

#include <stdlib.h>

bool arrivals_init(struct arrivals *arrivals, size_t capacity)
{
    *arrivals = (struct arrivals){.capacity = capacity};
    pthread_mutex_init(&arrivals->lock, NULL);
    arrivals->ring = malloc(capacity * sizeof(arrivals->ring[0]));
    return arrivals->ring != NULL;
}

void arrivals_free(struct arrivals *arrivals)
{
    free(arrivals->ring);
    pthread_mutex_destroy(&arrivals->lock);
}

void arrivals_push(struct arrivals *arrivals, const struct arrival *arrival)
{
    size_t last;

    pthread_mutex_lock(&arrivals->lock);
    last = (arrivals->first + arrivals->count) % arrivals->capacity;
    arrivals->ring[last] = *arrival;
    arrivals->count++;
    pthread_mutex_unlock(&arrivals->lock);
}

bool arrivals_pop(struct arrivals *arrivals, struct arrival *arrival)
{
    bool found;

    pthread_mutex_lock(&arrivals->lock);
    found = arrivals->count > 0;
    if (found) {
        *arrival = arrivals->ring[arrivals->first];
        arrivals->first = (arrivals->first + 1) % arrivals->capacity;
        arrivals->count--;
    }
    pthread_mutex_unlock(&arrivals->lock);
    return found;
}
