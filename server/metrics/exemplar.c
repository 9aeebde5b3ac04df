#include "server/metrics/exemplar.h"

#include <string.h>

/* A sequence lock. All accesses are sequentially consistent: a reader that sees
 * a member of a newer value also sees another version. */
void exemplar_write(struct exemplar *exemplar,
                    const struct exemplar_value *value)
{
    unsigned long long words[4];

    memcpy(words, value->trace_id, sizeof(words));
    atomic_fetch_add(&exemplar->version, 1);
    for (int i = 0; i < 4; i++)
        atomic_store(&exemplar->trace_id[i], words[i]);
    atomic_store(&exemplar->ns, value->ns);
    atomic_store(&exemplar->when_ms, value->when_ms);
    atomic_fetch_add(&exemplar->version, 1);
}

bool exemplar_read(const struct exemplar *exemplar,
                   struct exemplar_value *value)
{
    unsigned long long version = atomic_load(&exemplar->version), words[4];

    for (int i = 0; i < 4; i++)
        words[i] = atomic_load(&exemplar->trace_id[i]);
    *value =
        (struct exemplar_value){.ns = atomic_load(&exemplar->ns),
                                .when_ms = atomic_load(&exemplar->when_ms)};
    memcpy(value->trace_id, words, sizeof(words));
    return version > 0 && version % 2 == 0 &&
           atomic_load(&exemplar->version) == version;
}

void exemplar_merge(struct exemplar *total, const struct exemplar *part)
{
    struct exemplar_value mine, other;

    if (exemplar_read(part, &other) &&
        (!exemplar_read(total, &mine) || other.when_ms > mine.when_ms))
        exemplar_write(total, &other);
}
