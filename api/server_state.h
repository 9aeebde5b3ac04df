/* State that the server keeps for the api: sets of models, registered shared
 * memory, the settings of the log. Any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/status.h"

struct api_reply; /* defined in api.h, as the next two */
struct api_request;
struct api_route;
struct model; /* opaque here, as model_set */
struct model_set;

enum {
    API_MODEL_NAME_MAX = 128, /* bytes */
    API_MODEL_SLOTS = 256,    /* names that one process may ever have had */
};

/* Borrowed from the model's set. */
const char *api_model_name(const struct model *model);
const char *api_model_version(const struct model *model); /* decimal */

/* < API_MODEL_SLOTS; belongs to the model's name in this process. */
unsigned api_model_slot(const struct model *model);

/* The model that a route names, percent escapes decoded. NULL with NOT_FOUND
 * for an unknown name or version; the text names the route that lists them. */
const struct model *api_model_find(const struct api_request *request,
                                   const struct api_route *route,
                                   struct status *st);

/* The operators alone. Never freed; references are not counted. */
struct model_set *api_models_builtin(void);

/* The operators, and the models of a models file of `len` bytes, which ends
 * with a NUL. A name that `previous` (may be NULL) has keeps its slot. The
 * caller gets a reference; NULL with INVALID, naming line and field, TOO_LARGE
 * or NO_MEMORY. */
struct model_set *api_models_read(const char *text, size_t len,
                                  const struct model_set *previous,
                                  struct status *st);

/* Adds a reference, and returns `set`; removes one, of which the last frees the
 * set, or NULL. */
struct model_set *api_models_ref(struct model_set *set);
void api_models_unref(struct model_set *set);

/* The operators first, then the models in the order of their file. */
size_t api_models_count(const struct model_set *set);
const struct model *api_models_at(const struct model_set *set, size_t index);

/* The formats of log lines. The middle two are Triton's names of the first. */
enum api_log_format {
    API_LOG_TEXT,
    API_LOG_DEFAULT,
    API_LOG_ISO8601,
    API_LOG_JSON
};

/* The settings of the logging extension. */
struct api_logging {
    bool error, warning, info;
    uint64_t verbose; /* 0: off */
    enum api_log_format format;
};

/* GET and POST /v2/logging: changes `logging` as a POST's body says, and
 * replies with all settings. False, with nothing changed, when the body is
 * refused. */
bool api_logging_update(const struct api_request *request,
                        struct api_logging *logging, struct api_reply *reply);

/* Memory that a client has registered under a name. Others may write to it at
 * any time, so bytes that must not change are read only once. */
struct api_region {
    unsigned char *data; /* NULL: its owner has truncated it */
    size_t size;         /* bytes */
    bool is_aliased;     /* some lie at other addresses too, in a region that
                          * the request has found before */
};

enum { API_MAX_FINDS = 8 };

struct api_regions {
    /* Finds a region and keeps it mapped until the request is done. Called for
     * each tensor: at most API_MAX_FINDS times. */
    bool (*find)(void *context, const char *name, struct api_region *region);
    void *context;
};

enum { API_SHM_NAME = 256, API_SHM_KEY = 256 }; /* bytes, with their NUL */

/* A part of a shared memory object, registered under a name. */
struct api_shm_part {
    char name[API_SHM_NAME];
    char key[API_SHM_KEY]; /* the object's name for shm_open() */
    uint64_t offset;       /* bytes into the object */
    uint64_t bytes;        /* at least 1; offset + bytes is below 2^63 */
};

/* The region that a route names, percent escapes decoded. INVALID when the name
 * is too long or not UTF-8. */
bool api_shm_name(const char *path, const struct api_route *route,
                  char name[API_SHM_NAME], struct status *st);

/* Reads path and body of POST .../region/{region}/register. INVALID names the
 * field; the caller checks the key. */
bool api_shm_part_read(const struct api_request *request,
                       const struct api_route *route, struct api_shm_part *part,
                       struct status *st);

/* The reply of GET .../status: a list of `count` parts. */
void api_shm_list(const struct api_shm_part *list, size_t count,
                  struct api_reply *reply);
