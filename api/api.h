/* The contract: one request in, one reply out, and nothing else. No sockets, no
 * threads, no clock: api/ is called with bytes and gives bytes back.
 *
 * A transport calls api_route() when the headers are in, api_prepare() when the
 * body is, reserves plan.memory, looks at its clock, and calls api_execute().
 * api_answer() is the three in one. While a large body comes in it may call
 * api_read_early(). An error is a reply too. Any thread; one at
 * a time for the same request. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/lex/token_lengths.h"
#include "api/models/model.h"
#include "kernels/core/dtype.h"
#include "kernels/core/status.h"

enum api_route_id {
    API_ROUTE_NONE,
    API_ROUTE_SERVER,
    API_ROUTE_LIVE,
    API_ROUTE_READY,
    API_ROUTE_MODELS,
    API_ROUTE_MODEL,
    API_ROUTE_MODEL_READY,
    API_ROUTE_INFER,
    API_ROUTE_CONFIG,
    API_ROUTE_INDEX,
    API_ROUTE_LOAD,
    API_ROUTE_CONTRACT,
    API_ROUTE_PAGE,
    API_ROUTE_LOGGING, /* these need what the server knows: */
    API_ROUTE_STATISTICS,
    API_ROUTE_METRICS,    /* answered by the server, which owns the counters */
    API_ROUTE_SHM_STATUS, /* shared memory: of one region when it is named */
    API_ROUTE_SHM_REGISTER,
    API_ROUTE_SHM_UNREGISTER,
    API_ROUTE_CUDA_STATUS,
    API_ROUTE_CUDA_REGISTER,
    API_ROUTE_CUDA_UNREGISTER,
};

/* Where a path leads. Offsets, not copies: path segments are still encoded. */
struct api_route {
    enum api_route_id id;
    const char *label; /* "/v2/models/{model}/infer"; static, for metrics */
    size_t model, model_len;     /* in the path; 0, 0 where there is none */
    size_t version, version_len; /* the same */
    size_t region, region_len;   /* the same; of shared memory */
};

/* What a reply needs room for beside its pieces' bytes: nothing. They point
 * into the request's body, the buffer given to api_execute(), `owned`, or
 * static memory. */
struct api_piece {
    const void *data;
    size_t len;
};

enum { API_MAX_PIECES = 4 };

struct api_reply {
    int status;               /* HTTP's */
    const char *content_type; /* static */
    const char *allow;        /* static; Allow header of a 405, or NULL */
    const char *policy;       /* static; a page's Content-Security-Policy */
    size_t json_len; /* Inference-Header-Content-Length, or 0 for no header */
    int piece_count;
    struct api_piece pieces[API_MAX_PIECES];
    void *owned; /* from malloc, freed by api_reply_free() */
};

/* What of an infer request has been looked at before all of it was there. Made
 * by api_read_early() out of zeros. */
struct api_early {
    size_t start;     /* of a data array in the body, its '['; 0: none yet */
    size_t behind;    /* what stands before this place in it needs no look: */
    enum dtype dtype; /* as elements of this datatype it is right */
    int tries;        /* to find it */
    bool over;        /* there is no more to look at */
    struct token_lengths
        lengths; /* of that array; the caller may give it room */
};

struct document_cache;

struct api_request {
    const char *method;            /* "GET" */
    const char *path;              /* as sent, without the query */
    const char *query;             /* behind the '?', or NULL */
    const struct api_route *route; /* what api_route() found; NULL: find it */

    /* Header values, NULL when absent. */
    const char *content_type;
    const char *accept;
    const char *inference_header; /* Inference-Header-Content-Length */

    /* Writable: a tensor may be reversed in place, whether in binary or in
     * text, the reply points into it, and its head may take the place of what
     * lies before. Borrowed until the reply has been sent. */
    unsigned char *body;
    size_t body_len;
    const struct api_early *early; /* of this body, or NULL */

    /* Borrowed for api_prepare(), of one thread at a time; NULL: none. */
    struct document_cache *cache;

    /* Those there are; NULL for the built-in ones. Held by the caller until the
     * plan has been freed. */
    const struct model_set *models;

    const struct api_regions *regions; /* NULL: shared memory is off */

    bool ready; /* what the ready route answers: false while draining */
};

/* Memory that a client has registered under a name. Others write to it at any
 * time, so nothing is read from it twice that must not change. */
struct api_region {
    unsigned char *data; /* NULL: its owner has cut it short */
    size_t size;         /* bytes */
};

enum { API_MAX_FINDS = 8 };

struct api_regions {
    /* Finds a region and keeps it in place until the request is done. Called
     * for each tensor: at most API_MAX_FINDS times. */
    bool (*find)(void *context, const char *name, struct api_region *region);
    void *context;
};

/* The logging extension's settings. */
struct api_logging {
    bool error, warning, info;
    int64_t verbose; /* 0: no */
    bool json;       /* the lines' format; else text */
};

struct infer; /* private to api/ */

struct api_plan {
    size_t memory;       /* bytes api_execute() needs in its buffer */
    size_t held;         /* bytes the plan itself holds until it is freed */
    uint64_t timeout_us; /* from the request's arrival; 0 = none */
    const struct model *model; /* for metrics */
    struct infer *infer;       /* owned */
};

/* Gives jansson allocation functions that keep an account of each parse, for
 * plan.held. They are the process's: once, before other threads use the api or
 * jansson. Without it a plan holds more than it says, and a parse that lacks
 * memory may be answered with 400. */
void api_init(void);

/* A cache of the documents that one thread, or one after the other, reads: most
 * requests repeat names and shapes. NULL without memory; 17 KiB and 8 documents
 * of at most 2 KiB without their data. */
struct document_cache *api_cache_new(void);

/* NULL is allowed. */
void api_cache_free(struct document_cache *cache);

/* GET and POST /v2/logging: what a POST's body sets is changed in `logging`,
 * and the reply tells all of it. False, with nothing changed, when the body is
 * refused. */
bool api_logging(const struct api_request *request, struct api_logging *logging,
                 struct api_reply *reply);

/* Finds the route of a path of which `method` is asked. On failure returns
 * false with the 404 or 405 in `reply`; route->label is set even then. */
bool api_route(const char *method, const char *path, struct api_route *route,
               struct api_reply *reply);

/* The table's row `index`: its path, where {m}, {v} and {r} stand for one
 * segment, and in `allow` its methods, separated by ", ". NULL behind the last.
 */
const char *api_route_at(size_t index, const char **allow);

/* The model that a route names, percent escapes decoded. Fails with NOT_FOUND
 * for an unknown name or version; the text says where to look. */
const struct model *api_model(const struct api_request *request,
                              const struct api_route *route, struct status *st);

/* The timeout that an infer request asks for, in microseconds from its arrival,
 * when it stands where it can be seen without reading the request; 0 when it
 * does not, or there is none. Takes some microseconds; the plan's is exact. */
uint64_t api_timeout(const struct api_request *request);

/* Looks at the first `len` bytes of a document that is still to come in full,
 * as far as that spares api_prepare() and api_execute() a look, and remembers
 * how far. To be called each time there are more, while they are in the
 * processor's caches. Finds no faults: those are left to api_prepare(). */
void api_read_early(struct api_early *early, const unsigned char *body,
                    size_t len);

/* Reads and checks a whole request except for the values inside JSON data
 * arrays that are only moved or converted: api_execute() sees those in its one
 * pass over them. Returns true when `plan` is to be executed (and later freed),
 * false when `reply` is already the answer. */
bool api_prepare(const struct api_request *request, struct api_plan *plan,
                 struct api_reply *reply);

/* Moves the data and writes the reply. `buffer` has plan->memory bytes, any
 * alignment that malloc gives, and lives until the reply has been sent.
 * `cancel` may be NULL; it is looked at about once a MiB, and a cancelled
 * execution replies 503. */
void api_execute(struct api_plan *plan, void *buffer, const atomic_bool *cancel,
                 struct api_reply *reply);

/* Frees what the plan owns; a zeroed plan may be freed. */
void api_plan_free(struct api_plan *plan);

/* Route, prepare and execute with memory of its own. */
void api_answer(const struct api_request *request, struct api_reply *reply);

/* Makes `reply` the error answer {"error":"<text>"}. Never fails: without
 * memory the text is a static one. */
void api_reply_error(struct api_reply *reply, int status, const char *text);

/* The same from a status: the one place where codes become HTTP. */
void api_reply_status(struct api_reply *reply, const struct status *st);

/* Bytes of all pieces together. */
size_t api_reply_bytes(const struct api_reply *reply);

/* Frees what the reply owns; a zeroed reply may be freed. */
void api_reply_free(struct api_reply *reply);

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
