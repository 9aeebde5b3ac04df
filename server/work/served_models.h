/* The models that the daemon serves: the built-in ones, and those of the
 * models file (--models), which is read at the start and again at SIGHUP. */
#pragma once

#include <pthread.h>

#include "api/server_state.h"
#include "server/log/log.h"
#include "server/metrics/reload.h"

struct served_models {
    struct reload reload; /* of the file; for /metrics */
    const char *path;     /* borrowed; NULL: built-in models only */
    pthread_mutex_t lock;
    struct model_set *set; /* one reference; with a path guarded by lock */
};

/* Reads the file, if any. The text of an INVALID names file, line and field. */
bool served_models_init(struct served_models *models, const char *path,
                        struct status *st);

/* Reads the file again and logs the result. When it cannot be read, the models
 * stay as they are. Running requests keep the models that they started with.
 * One thread at a time. */
void served_models_reload(struct served_models *models, struct log *log);

/* The current models with a reference, which the caller gives back. Any
 * thread. */
struct model_set *served_models_ref(struct served_models *models);

void served_models_free(struct served_models *models);
