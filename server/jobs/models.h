/* The models that are served: the built-in ones and those of --models FILE,
 * which is read at the start and again at SIGHUP. */
#pragma once

#include <pthread.h>

#include "api/models/model.h"
#include "server/log/log.h"

struct models {
    const char *path; /* borrowed; NULL: only the built-in ones */
    pthread_mutex_t lock;
    struct model_set *set; /* held; guarded by the lock when there is a path */
};

/* Reads the file, if there is one. Fails with INVALID, naming file, line and
 * field. */
bool models_init(struct models *models, const char *path, struct status *st);

/* Reads the file again. Requests under way go on with the old models, which
 * stay when the new ones cannot be read; either is logged. One thread. */
void models_reload(struct models *models, struct log *log);

/* What is served now, for the caller to drop. Any thread. */
struct model_set *models_ref(struct models *models);

void models_free(struct models *models);
