/* The api: one request in, one reply out; an error is a reply too. No sockets,
 * no threads, no clock. server_state.h declares the functions for state that
 * the server keeps, grpc.h those for gRPC. Other layers include these and, for
 * content coding, base/accept.h.
 *
 * A transport calls api_route() when the headers are there, api_prepare() when
 * the body is, reserves plan.memory, checks its clock, and calls api_execute().
 * Any thread; one at a time for the same request. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/status.h"

struct api_regions; /* of server_state.h */
struct early_read;  /* opaque here, as the next four */
struct infer;
struct infer_result;
struct model;
struct model_set;

#define API_GET "GET, HEAD"
#define API_POST "POST"

/* All routes, the most frequent first: ROUTE(id, API for restricted access,
 * methods, path), ALSO with the id of a route above, AGAIN(another path of the
 * row before). No path matches two, except /v2/models/stats, which stands
 * before {model}: no model may have this name. Probes of other servers ask
 * /healthz. The order counts: the texts stand from METRICS to STATUS, the rows
 * of CUDA right before LOGGING. Of the texts only the metrics can be
 * restricted; the pages ask for the header of the routes that they call. */
#define API_ROUTE_LIST(ROUTE, ALSO, AGAIN)                                     \
    ROUTE(INFER, "inference", API_POST, "/v2/models/{model}/infer")            \
    AGAIN("/v2/models/{model}/versions/{version}/infer")                       \
    ROUTE(SERVER, "metadata", API_GET, "/v2")                                  \
    AGAIN("/v2/")                                                              \
    ROUTE(READY, "health", API_GET, "/v2/health/ready")                        \
    AGAIN("/healthz")                                                          \
    ROUTE(LIVE, "health", API_GET, "/v2/health/live")                          \
    ROUTE(MODELS, "metadata", API_GET, "/v2/models")                           \
    ROUTE(STATISTICS, "statistics", API_GET, "/v2/models/stats")               \
    ROUTE(MODEL, "metadata", API_GET, "/v2/models/{model}")                    \
    AGAIN("/v2/models/{model}/versions/{version}")                             \
    ROUTE(MODEL_READY, "health", API_GET, "/v2/models/{model}/ready")          \
    AGAIN("/v2/models/{model}/versions/{version}/ready")                       \
    ROUTE(CONFIG, "model-config", API_GET, "/v2/models/{model}/config")        \
    AGAIN("/v2/models/{model}/versions/{version}/config")                      \
    ALSO(STATISTICS, "statistics", API_GET, "/v2/models/{model}/stats")        \
    AGAIN("/v2/models/{model}/versions/{version}/stats")                       \
    ROUTE(INDEX, "model-repository", API_POST, "/v2/repository/index")         \
    ROUTE(LOAD, "model-repository", API_POST,                                  \
          "/v2/repository/models/{model}/load")                                \
    ALSO(LOAD, "model-repository", API_POST,                                   \
         "/v2/repository/models/{model}/unload")                               \
    ROUTE(SHM_STATUS, "shared-memory", API_GET,                                \
          "/v2/systemsharedmemory/status")                                     \
    ROUTE(SHM_UNREGISTER, "shared-memory", API_POST,                           \
          "/v2/systemsharedmemory/unregister")                                 \
    ALSO(SHM_STATUS, "shared-memory", API_GET,                                 \
         "/v2/systemsharedmemory/region/{region}/status")                      \
    ROUTE(SHM_REGISTER, "shared-memory", API_POST,                             \
          "/v2/systemsharedmemory/region/{region}/register")                   \
    ALSO(SHM_UNREGISTER, "shared-memory", API_POST,                            \
         "/v2/systemsharedmemory/region/{region}/unregister")                  \
    ROUTE(CUDA_STATUS, "shared-memory", API_GET,                               \
          "/v2/cudasharedmemory/status")                                       \
    ROUTE(CUDA_UNREGISTER, "shared-memory", API_POST,                          \
          "/v2/cudasharedmemory/unregister")                                   \
    ALSO(CUDA_STATUS, "shared-memory", API_GET,                                \
         "/v2/cudasharedmemory/region/{region}/status")                        \
    ROUTE(CUDA_REGISTER, "shared-memory", API_POST,                            \
          "/v2/cudasharedmemory/region/{region}/register")                     \
    ALSO(CUDA_UNREGISTER, "shared-memory", API_POST,                           \
         "/v2/cudasharedmemory/region/{region}/unregister")                    \
    ROUTE(LOGGING, "logging", "GET, HEAD, POST", "/v2/logging")                \
    ROUTE(METRICS, "metrics", API_GET, "/metrics")                             \
    ROUTE(CONTRACT, NULL, API_GET, "/openapi.yaml")                            \
    ROUTE(CONTRACT_JSON, NULL, API_GET, "/openapi.json")                       \
    ROUTE(PAGE, NULL, API_GET, "/")                                            \
    ROUTE(DOCS, NULL, API_GET, "/docs")                                        \
    ROUTE(STATUS, NULL, API_GET, "/status")

#define API_ROUTE_ID(id, ...) API_ROUTE_##id,
#define API_ROUTE_NO_ID(...)
enum api_route_id {
    API_ROUTE_NONE,
    API_ROUTE_LIST(API_ROUTE_ID, API_ROUTE_NO_ID, API_ROUTE_NO_ID)
        API_ROUTE_COUNT
};

/* A path's route: offsets in the path, whose segments are still encoded. */
struct api_route {
    enum api_route_id id;
    const char *label; /* "/v2/models/{model}/infer"; static, for metrics */
    /* 0, 0 where the path has none; the region is of shared memory */
    struct api_segment {
        size_t at, len;
    } model, version, region;
};

/* A part of a reply's body. It points into the request's body, the buffer given
 * to api_execute(), `owned`, or static memory. */
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
    const struct api_piece *gzip; /* static; the pieces as gzip, or NULL */
    void *owned;                  /* from malloc, freed by api_reply_free() */
    bool malformed; /* of a 400: a message of gRPC could not be read at all */
    const char *error; /* the text of an error, UTF-8; NULL: none */
};

/* Asks the caller for heap that api_prepare() takes before its plan is known.
 * False: the reply is 503. What was granted is a part of plan.heap_bytes, or
 * was given back before. */
struct api_heap {
    bool (*take)(void *context, size_t bytes);
    void *context;
};

/* Heap that a request takes without asking. */
enum { API_HEAP_FREE = 64 << 10 };

static inline bool api_heap_take(const struct api_heap *heap, size_t bytes)
{
    return !heap || heap->take(heap->context, bytes);
}

/* The parsed head of an inference's message; private to api/. The pieces are
 * borrowed from the body. */
enum { API_HEAD_INPUTS = 4 };
struct api_head {
    const unsigned char *body; /* that was read; NULL: none */
    struct api_piece model, version, id;
    struct api_piece inputs[API_HEAD_INPUTS], raw[API_HEAD_INPUTS];
    size_t input_count, raw_count; /* all of them */
    size_t other_bytes;            /* of other fields, with a NUL each */
    size_t fields_left;            /* that may still be read */
    uint64_t timeout_us;
    bool has_more; /* parameters or outputs */
};

struct api_request {
    const char *method;            /* "GET" */
    const char *path;              /* as sent, without the query */
    const char *query;             /* behind the '?', or NULL */
    const struct api_route *route; /* from api_route(); NULL: not yet found */
    const struct model *model;     /* from api_model_find(); NULL: the same */

    /* Header values, NULL when absent. */
    const char *content_type;
    const char *accept;
    const char *inference_header; /* Inference-Header-Content-Length */

    /* Writable: a tensor is reversed in place, in binary or in text, the reply
     * points into it, and the reply's head may overwrite the bytes in front.
     * Borrowed until the reply has been sent. */
    unsigned char *body;
    size_t body_len;
    const struct early_read *early; /* of this body, or NULL */

    /* NULL: the built-in ones. The caller's reference outlives the plan. */
    const struct model_set *models;

    const struct api_regions *regions; /* NULL: shared memory is off */
    const struct api_heap *heap;       /* NULL: without a bound */

    bool ready;       /* the reply of the ready route: false while draining */
    bool is_protobuf; /* body and reply are inference's messages: grpc.h */
    struct api_head *head; /* memory for the parsed head of such a body */
};

struct api_plan {
    size_t memory;        /* bytes api_execute() needs in its buffer */
    size_t heap_bytes;    /* allocated by the plan until it is freed */
    size_t scratch_bytes; /* of `memory`: no part of the reply */
    uint64_t timeout_us;  /* from the request's arrival; 0 = none */
    uint64_t cost_ns;     /* time of api_execute() on a free core, roughly */
    const struct model *model; /* for metrics */
    struct infer *infer;       /* owned */
    void (*encode)(const struct infer_result *result, struct api_reply *reply);
};

/* Finds the route of a path for `method`. On failure returns false with the 404
 * or 405 in `reply`; route->label is set even then. */
bool api_route(const char *method, const char *path, struct api_route *route,
               struct api_reply *reply);

/* True if the reply is a compressible text: pages and contract, which are
 * stored as gzip too, and metrics. */
static inline bool api_route_is_text(enum api_route_id id)
{
    return id >= API_ROUTE_METRICS && id <= API_ROUTE_STATUS;
}

/* The rows of API_ROUTE_LIST; a path of NULL ends them. */
extern const struct api_route_row {
    const char *path;  /* {model}, {version}, {region} stand for one segment */
    const char *allow; /* methods, as the Allow header spells them */
    /* The API that it is of where access to some is restricted, by Triton's
     * names: "inference". NULL: none, it is always open. */
    const char *group;
    enum api_route_id id;
    bool again; /* another path of the row before, which has all else */
} api_routes[];

/* The timeout of an infer request that is not prepared yet, in microseconds
 * from its arrival; 0 when there is none, the document is malformed, or has
 * more than 256 KiB. Takes up to 10 microseconds; plan.timeout_us is exact. */
uint64_t api_timeout(const struct api_request *request);

/* True if the request may name shared memory, after a quick scan. */
bool api_may_use_shm(const struct api_request *request);

/* True if, by the headers, the body's values nearly always only move. */
bool api_only_moves(const struct api_request *request);

/* Validation of a large body while it arrives: spares api_prepare() and
 * api_execute() a second scan. NULL without memory; NULL may be freed. */
struct early_read *api_early_new(void);
void api_early_free(struct early_read *early);

/* The useful capacity for a body of `len` bytes, by the bytes so far; 0: no
 * more. */
size_t api_early_capacity(const struct early_read *early, size_t len);

/* Lends memory, aligned to 8 bytes, until api_early_free() and the end of the
 * request's plan. More may follow, at the same address. */
void api_early_lend(struct early_read *early, void *memory, size_t capacity);

/* Continues in the first `len` bytes of a document; leaves its faults to
 * api_prepare(). Called each time more has come, while the bytes are in the
 * processor's caches. */
void api_early_read(struct early_read *early, const unsigned char *body,
                    size_t len);

/* Reads and checks a whole request except for the values inside JSON data that
 * are only moved or converted: api_execute() reads those in its pass. True when
 * `plan` is to be executed (and later freed), while `request` is still there;
 * false when `reply` is already complete. */
bool api_prepare(const struct api_request *request, struct api_plan *plan,
                 struct api_reply *reply);

/* Moves the data and writes the reply. `buffer` has plan->memory bytes, aligned
 * as by malloc(), and lives until the reply has been sent. `cancel` may be
 * NULL; it is read about once a MiB, and a cancelled execution replies 503. */
void api_execute(struct api_plan *plan, void *buffer, const atomic_bool *cancel,
                 struct api_reply *reply);

/* Frees what the plan owns; a zeroed plan may be freed. */
void api_plan_free(struct api_plan *plan);

/* Makes `reply` the error {"error":"<text>"}; without memory, a static one. */
void api_reply_error(struct api_reply *reply, int status, const char *text);

/* The same from a status: the one place where codes become HTTP. */
void api_reply_status(struct api_reply *reply, const struct status *st);

/* Bytes of all pieces together. */
size_t api_reply_bytes(const struct api_reply *reply);

/* Frees what the reply owns; a zeroed reply may be freed. */
void api_reply_free(struct api_reply *reply);
