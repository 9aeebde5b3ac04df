/* The methods; messages as requests of HTTP, and replies as messages. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/grpc/methods.h"
#include "api/server_state.h"
#include "api/wire/wire.h"
#include "kernels/core/require.h"

enum grpc_role {
    GRPC_INFER,
    GRPC_JSON,        /* the reply is the JSON of a message */
    GRPC_HEALTH,      /* of grpc.health.v1: of one service */
    GRPC_HEALTH_LIST, /* of all */
    GRPC_REFLECTION,
};

struct grpc_row {
    struct api_grpc_method method; /* first: a row is found by it */
    enum grpc_role role;
    const char *http; /* HTTP's method; POST: the message is the body */
    /* HTTP's path: {1} stands for the text of the message's field 1, and what
     * is in brackets is left out when that text is empty. */
    const char *path;
    const struct grpc_message *request, *response;
};

static const struct grpc_row *row_of(const struct api_grpc_method *method)
{
    return (const struct grpc_row *)(const void *)method;
}

#define MODEL "/v2/models/{model}"
#define REGION "/region/{region}"
#define INFERENCE "inference.GRPCInferenceService"
#define MODEL_PATH "/v2/models/{1}[/versions/{2}]"
#define SYSTEM "/v2/systemsharedmemory"
#define CUDA "/v2/cudasharedmemory"

/* Methods with messages of their own: ROW(name, route, label, http, path). */
#define METHODS(ROW)                                                           \
    ROW(ServerLive, LIVE, "/v2/health/live", "GET", "/v2/health/live")         \
    ROW(ServerReady, READY, "/v2/health/ready", "GET", "/v2/health/ready")     \
    ROW(ModelReady, MODEL_READY, MODEL "/ready", "GET", MODEL_PATH "/ready")   \
    ROW(ServerMetadata, SERVER, "/v2", "GET", "/v2")                           \
    ROW(ModelMetadata, MODEL, MODEL, "GET", MODEL_PATH)                        \
    ROW(ModelConfig, CONFIG, MODEL "/config", "GET", MODEL_PATH "/config")     \
    ROW(ModelStatistics, STATISTICS, MODEL "/stats", "GET",                    \
        "/v2/models[/{1}][/versions/{2}]/stats")                               \
    ROW(RepositoryIndex, INDEX, "/v2/repository/index", "POST",                \
        "/v2/repository/index")                                                \
    ROW(RepositoryModelLoad, LOAD, "/v2/repository/models/{model}/load",       \
        "POST", "/v2/repository/models/{2}/load")                              \
    ROW(RepositoryModelUnload, LOAD, "/v2/repository/models/{model}/unload",   \
        "POST", "/v2/repository/models/{2}/unload")                            \
    ROW(SystemSharedMemoryStatus, SHM_STATUS, SYSTEM "/status", "GET",         \
        SYSTEM "[/region/{1}]/status")                                         \
    ROW(SystemSharedMemoryRegister, SHM_REGISTER, SYSTEM REGION "/register",   \
        "POST", SYSTEM "/region/{1}/register")                                 \
    ROW(SystemSharedMemoryUnregister, SHM_UNREGISTER, SYSTEM "/unregister",    \
        "POST", SYSTEM "[/region/{1}]/unregister")                             \
    ROW(CudaSharedMemoryStatus, CUDA_STATUS, CUDA "/status", "GET",            \
        CUDA "[/region/{1}]/status")                                           \
    ROW(CudaSharedMemoryRegister, CUDA_REGISTER, CUDA REGION "/register",      \
        "POST", CUDA "/region/{1}/register")                                   \
    ROW(CudaSharedMemoryUnregister, CUDA_UNREGISTER, CUDA "/unregister",       \
        "POST", CUDA "[/region/{1}]/unregister")                               \
    ROW(TraceSetting, NONE, "none", "GET", "/v2/trace/setting")                \
    ROW(LogSettings, LOGGING, "/v2/logging", "POST", "/v2/logging")

/* The tables of their messages, which cmake/grpc_tables.py makes. */
#define MESSAGES(name, id, label, http, path)                                  \
    extern const struct grpc_message grpc_##name##Request,                     \
        grpc_##name##Response;
METHODS(MESSAGES)

#define METHOD(name, id, label, http, path)                                    \
    {{"/" INFERENCE "/" #name, API_GRPC_UNARY, false, API_ROUTE_##id, label},  \
     GRPC_JSON,                                                                \
     http,                                                                     \
     path,                                                                     \
     &grpc_##name##Request,                                                    \
     &grpc_##name##Response},
#define OTHER(name, kind, id, label, how, path, request)                       \
    {                                                                          \
        {"/" name, API_GRPC_##kind, API_ROUTE_##id == API_ROUTE_INFER,         \
         API_ROUTE_##id, label},                                               \
            GRPC_##how, "GET", path, request, NULL                             \
    }
#define HEALTH_SERVICE "grpc.health.v1.Health"
#define READY_PATH "/v2/health/ready"
#define REFLECTION(version)                                                    \
    OTHER("grpc.reflection." version ".ServerReflection/ServerReflectionInfo", \
          STREAM, NONE, "none", REFLECTION, NULL,                              \
          &grpc_ServerReflectionRequest)

/* The most frequent are first. */
static const struct grpc_row rows[] = {
    OTHER(INFERENCE "/ModelInfer", UNARY, INFER, MODEL "/infer", INFER, NULL,
          NULL),
    OTHER(INFERENCE "/ModelStreamInfer", STREAM, INFER, MODEL "/infer", INFER,
          NULL, NULL),
    OTHER(HEALTH_SERVICE "/Check", UNARY, READY, READY_PATH, HEALTH, READY_PATH,
          &grpc_HealthCheckRequest),
    OTHER(HEALTH_SERVICE "/Watch", WATCH, READY, READY_PATH, HEALTH, READY_PATH,
          &grpc_HealthCheckRequest),
    OTHER(HEALTH_SERVICE "/List", UNARY, READY, READY_PATH, HEALTH_LIST,
          READY_PATH, &grpc_HealthListRequest),
    METHODS(METHOD)
    /* Its messages are no JSON. */
    REFLECTION("v1"),
    REFLECTION("v1alpha"),
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

const struct api_grpc_method *api_grpc_at(size_t index)
{
    return index < ROWS ? &rows[index].method : NULL;
}

const struct api_grpc_method *api_grpc_find(const char *path)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].method.path, path) == 0)
            return &rows[i].method;
    return NULL;
}

/* Bytes of a text that go into a path: no name has more, so a longer one names
 * nothing either way. */
enum { MOST_TEXT = API_SHM_NAME };

/* Everything but letters, digits and '.', '_', '-' is escaped. */
static void write_segment(struct writer *w, const struct protobuf_field *text)
{
    size_t len = text->len < MOST_TEXT ? text->len : MOST_TEXT;
    char escape[4];

    for (size_t i = 0; i < len; i++) {
        unsigned char byte = text->data[i];
        bool plain = isalnum(byte) || (byte > 0 && strchr("._-", byte));

        snprintf(escape, sizeof(escape), plain ? "%c" : "%%%02X", byte);
        writer_text(w, escape);
    }
}

/* The text that stands for the {1} at `at`. */
static struct protobuf_field text_at(const struct grpc_fields *fields,
                                     const char *at)
{
    return grpc_text(fields, (uint32_t)(at[1] - '0'));
}

/* The texts outside of brackets must not be empty. */
static bool write_path(const struct grpc_fields *fields, const char *at,
                       struct writer *w, struct status *st)
{
    struct protobuf_field text;

    for (; *at; at++) {
        if (*at == '[' && text_at(fields, strchr(at, '{')).len == 0) {
            at = strchr(at, ']');
        } else if (*at == '{') {
            text = text_at(fields, at++);
            if (text.len == 0)
                return status_fail(st, STATUS_INVALID, "%s is empty",
                                   fields->type->fields[*at - '1'].name);
            write_segment(w, &text);
        } else if (!strchr("[]}", *at)) {
            writer_bytes(w, at, 1);
        }
    }
    writer_bytes(w, "", 1);
    return true;
}

/* HealthCheckResponse.ServingStatus */
enum { SERVING = 1, NOT_SERVING = 2, SERVICE_UNKNOWN = 3, STATES };

/* True for a service of which the state is known: the server's, which is that
 * of its only service. Otherwise fails with NOT_FOUND, or INVALID for a NUL. */
static bool knows_service(const struct grpc_fields *fields, struct status *st)
{
    enum { SERVICE = 1 };
    struct protobuf_field service = grpc_text(fields, SERVICE);

    return service.len == 0 || protobuf_text_is(&service, INFERENCE) ||
           (protobuf_is_name(&service, "service", st) &&
            status_fail(st, STATUS_NOT_FOUND,
                        "no service '%.*s': known are '' and " INFERENCE,
                        service.len < 80 ? (int)service.len : 80,
                        (const char *)service.data));
}

/* The entries of HealthListResponse: "" and the service, and their state. */
#define ENTRIES(state)                                                         \
    "\x0A\x06\x0A\x00\x12\x02\x08" state "\x0A\x24\x0A\x1E" INFERENCE          \
    "\x12\x02\x08" state

static void reply_health(int state, bool is_list, struct api_reply *reply)
{
    static const char messages[STATES][2] = {
        [SERVING] = {0x08, SERVING},
        [NOT_SERVING] = {0x08, NOT_SERVING},
        [SERVICE_UNKNOWN] = {0x08, SERVICE_UNKNOWN},
    };
    static const char serving[] = ENTRIES("\x01");
    static const char not_serving[] = ENTRIES("\x02");
    const char *list = state == SERVING ? serving : not_serving;

    *reply = (struct api_reply){
        .status = 200, .content_type = "application/grpc", .piece_count = 1};
    reply->pieces[0] = is_list ? (struct api_piece){list, sizeof(serving) - 1}
                               : (struct api_piece){messages[state], 2};
}

void api_grpc_watch(const struct api_grpc_call *call, bool ready,
                    struct api_reply *reply)
{
    int state = ready ? SERVING : NOT_SERVING;

    reply_health(call->unknown_service ? SERVICE_UNKNOWN : state, false, reply);
}

/* Path, NUL and body in one block of memory. The state of an unknown service
 * may be watched. */
static bool write_request(const struct grpc_row *row,
                          const struct grpc_fields *fields,
                          struct api_grpc_call *call,
                          struct api_request *request, struct status *st)
{
    struct writer w = {.grows = true};
    size_t body;
    bool ok;

    if (row->role == GRPC_HEALTH && !knows_service(fields, st)) {
        call->unknown_service = true;
        if (row->method.kind != API_GRPC_WATCH)
            return false;
    }
    ok = write_path(fields, row->path, &w, st);
    body = w.len;
    ok = ok && (strcmp(row->http, "GET") == 0 || grpc_to_json(fields, &w, st));
    call->owned = w.data;
    if (!ok || w.failed)
        return ok && status_fail(st, STATUS_NO_MEMORY, "out of memory");
    request->path = w.data;
    request->body = (unsigned char *)w.data + body;
    request->body_len = w.len - body;
    /* A map of settings without an entry asks for them. */
    request->method =
        grpc_is_map(row->request) && request->body_len <= 2 ? "GET" : row->http;
    return true;
}

/* Makes `data`, from malloc, the only piece of a reply. */
static void replace(struct api_reply *reply, void *data, size_t len)
{
    free(reply->owned);
    *reply = (struct api_reply){.status = reply->status,
                                .content_type = "application/grpc",
                                .owned = data};
    encoder_add(reply, data, len);
}

/* The same for the first `len` bytes that were written; without memory, an
 * error. */
static bool replace_by(struct api_reply *reply, struct writer *w, size_t len)
{
    if (w->failed) {
        free(w->data);
        free(reply->owned);
        api_reply_error(reply, 503, "out of memory");
        return false;
    }
    replace(reply, w->data, len);
    return true;
}

static void reflect(const struct grpc_fields *fields, struct api_reply *reply)
{
    struct writer w = {.grows = true};

    grpc_reflect(fields, &w);
    reply->status = 200;
    replace_by(reply, &w, w.len);
}

static void make_infer(const struct api_grpc_method *method,
                       unsigned char *message, size_t len,
                       struct api_grpc_call *call, struct api_request *request)
{
    call->route =
        (struct api_route){.id = method->route, .label = method->label};
    request->method = "POST";
    request->path = method->path;
    request->body = message;
    request->body_len = len;
    request->is_protobuf = true;
    request->head = &call->read;
}

static bool read(const struct grpc_row *row, const unsigned char *message,
                 size_t len, struct grpc_fields *fields, struct status *st)
{
    size_t left = row->request->count > 0 ? (size_t)GRPC_MOST_FIELDS : len;

    if (len > API_GRPC_SMALL_MESSAGE)
        return status_fail(st, STATUS_TOO_LARGE,
                           "the message has %zu bytes, but this method takes "
                           "%d at most",
                           len, API_GRPC_SMALL_MESSAGE);
    return grpc_read(row->request, message, len, &left, fields, st);
}

bool api_grpc_request(const struct api_grpc_method *method,
                      unsigned char *message, size_t len,
                      struct api_grpc_call *call, struct api_request *request,
                      struct api_reply *reply)
{
    const struct grpc_row *row = row_of(method);
    struct grpc_fields fields;
    struct status st;

    *call = (struct api_grpc_call){.method = method};
    request->route = &call->route;
    *reply = (struct api_reply){0};
    if (row->role == GRPC_INFER) {
        make_infer(method, message, len, call, request);
        return true;
    }
    if (!read(row, message, len, &fields, &st) ||
        (row->path && !write_request(row, &fields, call, request, &st))) {
        api_reply_status(reply, &st);
        return false;
    }
    if (!row->path) {
        reflect(&fields, reply);
        return false;
    }
    if (api_route(request->method, request->path, &call->route, reply))
        return true;
    reply->status = 501; /* no such route: a method that is not implemented */
    return false;
}

void api_grpc_call_free(struct api_grpc_call *call)
{
    free(call->owned);
    *call = (struct api_grpc_call){0};
}

/* The fields of ModelStreamInferResponse, and ModelInferResponse's id. */
enum { STREAM_ERROR = 1, STREAM_RESPONSE = 2, RESPONSE_ID = 3 };

enum api_grpc_code api_grpc_code(int http_status)
{
    static const unsigned char codes[600] = {
        [400] = API_GRPC_INVALID_ARGUMENT,
        [401] = API_GRPC_UNAUTHENTICATED,
        [403] = API_GRPC_PERMISSION_DENIED,
        [404] = API_GRPC_NOT_FOUND,
        [405] = API_GRPC_UNIMPLEMENTED,
        [408] = API_GRPC_DEADLINE_EXCEEDED,
        [413] = API_GRPC_RESOURCE_EXHAUSTED,
        [415] = API_GRPC_UNIMPLEMENTED,
        [417] = API_GRPC_INVALID_ARGUMENT,
        [431] = API_GRPC_RESOURCE_EXHAUSTED,
        [499] = API_GRPC_CANCELLED,
        [501] = API_GRPC_UNIMPLEMENTED,
        [503] = API_GRPC_UNAVAILABLE,
        [504] = API_GRPC_DEADLINE_EXCEEDED,
    };

    if (http_status == 200)
        return API_GRPC_OK;
    REQUIRE(http_status > 0 && http_status < (int)sizeof(codes));
    return codes[http_status] ? (enum api_grpc_code)codes[http_status]
                              : API_GRPC_INTERNAL;
}

struct api_grpc_status api_grpc_error(const struct api_reply *reply)
{
    return (struct api_grpc_status){
        .code =
            reply->malformed ? API_GRPC_INTERNAL : api_grpc_code(reply->status),
        .text = reply->error ? reply->error : "",
    };
}

/* 503 without an error says that the server or a model is not ready. */
static bool is_answer(const struct grpc_row *row, const struct api_reply *reply)
{
    bool asks_ready = row->method.route == API_ROUTE_READY ||
                      row->method.route == API_ROUTE_MODEL_READY;

    return reply->status == 200 ||
           (asks_ready && reply->status == 503 && !reply->error);
}

static void answer_health(const struct grpc_row *row, struct api_reply *reply)
{
    bool ready = reply->status == 200;

    api_reply_free(reply);
    reply_health(ready ? SERVING : NOT_SERVING, row->role == GRPC_HEALTH_LIST,
                 reply);
}

/* Makes the JSON of a reply a message. */
static void answer(const struct grpc_row *row, struct api_reply *reply,
                   struct api_grpc_status *status)
{
    const struct api_piece *piece = &reply->pieces[0];
    struct writer w = {.grows = true};
    struct tree tree;
    struct status st;

    REQUIRE(reply->piece_count == 1);
    tree_init(&tree, NULL, 0);
    if (tree_read_own(&tree, piece->data, piece->len, &st))
        grpc_from_json(row->response, tree.root, &w);
    else
        w.failed = true;
    if (!replace_by(reply, &w, w.len))
        *status = api_grpc_error(reply);
    tree_free(&tree);
}

/* The id of the request whose inference was refused. */
static void write_id(struct writer *w, const struct api_request *request)
{
    struct status st;
    const struct api_head *head = infer_head_read(request, &st);
    size_t mark;

    if (!head || head->id.len == 0)
        return;
    mark = protobuf_write_open(w, STREAM_RESPONSE);
    protobuf_write_bytes(w, RESPONSE_ID, head->id.data, head->id.len);
    protobuf_write_close(w, mark);
}

/* An error of a stream's message is a message, and the stream goes on. */
static void wrap_error(const struct api_request *request,
                       struct api_reply *reply, struct api_grpc_status *status)
{
    const char *text = *status->text ? status->text : "?";
    struct writer w = {.grows = true};
    size_t len;

    protobuf_write_text(&w, STREAM_ERROR, text);
    write_id(&w, request);
    len = w.len;
    writer_bytes(&w, text, strlen(text) + 1); /* for the log */
    if (!replace_by(reply, &w, len)) {
        *status = api_grpc_error(reply);
        return;
    }
    reply->error = w.data + len;
    *status = (struct api_grpc_status){API_GRPC_OK, ""};
}

static void reply_infer(struct api_grpc_call *call,
                        const struct api_request *request,
                        struct api_reply *reply, struct api_grpc_status *status)
{
    bool failed = reply->status != 200;
    struct writer w = {.data = (char *)call->head, .size = sizeof(call->head)};

    if (failed)
        *status = api_grpc_error(reply);
    if (call->method->kind != API_GRPC_STREAM || reply->malformed)
        return;
    if (failed) {
        wrap_error(request, reply, status);
        return;
    }
    /* The head of ModelStreamInferResponse goes in front of the inference's. */
    REQUIRE(reply->piece_count < API_MAX_PIECES);
    protobuf_write_head(&w, STREAM_RESPONSE, api_reply_bytes(reply));
    memmove(&reply->pieces[1], &reply->pieces[0],
            (size_t)reply->piece_count++ * sizeof(reply->pieces[0]));
    reply->pieces[0] = (struct api_piece){w.data, w.len};
}

void api_grpc_reply(struct api_grpc_call *call,
                    const struct api_request *request, struct api_reply *reply,
                    struct api_grpc_status *status)
{
    const struct grpc_row *row = row_of(call->method);

    *status = (struct api_grpc_status){API_GRPC_OK, ""};
    if (row->role == GRPC_INFER)
        reply_infer(call, request, reply, status);
    else if (row->method.route == API_ROUTE_MODEL_READY && reply->status == 404)
        replace(reply, NULL, 0); /* an unknown model is not ready */
    else if (!is_answer(row, reply))
        *status = api_grpc_error(reply);
    else if (row->role == GRPC_HEALTH || row->role == GRPC_HEALTH_LIST)
        answer_health(row, reply);
    else if (row->role != GRPC_REFLECTION)
        answer(row, reply, status);
    if (status->code != API_GRPC_OK)
        reply->piece_count = 0;
}
