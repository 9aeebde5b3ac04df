/* gRPC's messages: which methods there are, the request that a message stands
 * for, and the message that a reply becomes. No HTTP/2, framing or compression.
 *
 * A transport calls api_grpc_find() when the headers are there and
 * api_grpc_request() when a message is, handles the api_request as any other
 * (server routes, api_prepare(), api_execute()), and calls api_grpc_reply(),
 * which makes the reply the message to send, and a status. Errors have HTTP's
 * statuses up to that last step; api_grpc_error() is enough for those of the
 * transport. Any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "api/api.h"

enum api_grpc_kind {
    API_GRPC_UNARY,  /* a message in, a message out */
    API_GRPC_STREAM, /* any number in, each answered by one, in their order */
    API_GRPC_WATCH,  /* a message in; api_grpc_watch() makes those out: one at
                      * once, and one whenever readiness has changed */
};

/* gRPC's numbers. */
enum api_grpc_code {
    API_GRPC_OK = 0,
    API_GRPC_CANCELLED = 1,
    API_GRPC_INVALID_ARGUMENT = 3,
    API_GRPC_DEADLINE_EXCEEDED = 4,
    API_GRPC_NOT_FOUND = 5,
    API_GRPC_PERMISSION_DENIED = 7,
    API_GRPC_RESOURCE_EXHAUSTED = 8,
    API_GRPC_UNIMPLEMENTED = 12,
    API_GRPC_INTERNAL = 13,
    API_GRPC_UNAVAILABLE = 14,
    API_GRPC_UNAUTHENTICATED = 16,
};

/* Bytes of a message of a method that is no inference; a longer one is 413. */
enum { API_GRPC_SMALL_MESSAGE = 64 << 10 };

/* A row of the constant table of methods. */
struct api_grpc_method {
    const char *path; /* "/inference.GRPCInferenceService/ModelInfer" */
    enum api_grpc_kind kind;
    bool is_infer; /* its messages are tensors, as large as HTTP's bodies */
    /* The route that it stands for, for restrictions and metrics; a message may
     * choose another one with the same restrictions. NONE: reflection, and what
     * HTTP does not have. */
    enum api_route_id route;
    const char *label; /* of that route: "/v2/models/{model}/infer" */
};

/* The method of a :path; NULL is UNIMPLEMENTED. */
const struct api_grpc_method *api_grpc_find(const char *path);

/* Row `index` of the table; NULL behind the last one. */
const struct api_grpc_method *api_grpc_at(size_t index);

/* One message and its reply. */
struct api_grpc_call {
    const struct api_grpc_method *method;
    struct api_route route; /* of the request */
    void *owned;            /* path and body of the request; heap */
    bool unknown_service;   /* of a WATCH */
    struct api_head read;   /* of an inference's message */
    unsigned char head[16]; /* in front of a stream's reply, whose piece points
                             * here: a call must not move while that is sent */
};

/* Makes a request of a message: sets its method, path, route, body, head and
 * is_protobuf; the caller sets models, regions, heap and ready, and zeros the
 * rest. False when `reply` is already complete: api_grpc_reply() follows.
 *
 * For an inference `message` is the body: writable and borrowed until the reply
 * has been sent. It is not read here, so it may still be compressed, and the
 * caller may put the inflated one into request->body. Its model is found by
 * api_prepare(). Messages of other methods must be plain here; they are only
 * read, and call->owned takes at most seven times their length and 1 KiB. */
bool api_grpc_request(const struct api_grpc_method *method,
                      unsigned char *message, size_t len,
                      struct api_grpc_call *call, struct api_request *request,
                      struct api_reply *reply);

struct api_grpc_status {
    enum api_grpc_code code;
    const char *text; /* UTF-8 without NUL bytes, not percent-encoded; "" for
                       * OK; borrowed from the reply, or static */
};

/* Makes the pieces of a reply the message to send, without gRPC's prefix of 5
 * bytes. When status->code is not OK there is no message, and the status ends
 * the call. A refused message of ModelStreamInfer that could be read has the
 * code OK: its error is in the message, and the stream goes on. `request` is
 * that of api_grpc_request(), its body still there. reply->status stays HTTP's,
 * for metrics and the log. */
void api_grpc_reply(struct api_grpc_call *call,
                    const struct api_request *request, struct api_reply *reply,
                    struct api_grpc_status *status);

/* Makes `reply` the next message of a WATCH. */
void api_grpc_watch(const struct api_grpc_call *call, bool ready,
                    struct api_reply *reply);

/* The status of a reply that is an error, as of a unary call. */
struct api_grpc_status api_grpc_error(const struct api_reply *reply);

/* The code of a reply with this status of HTTP; 200 is OK. */
enum api_grpc_code api_grpc_code(int http_status);

/* A zeroed call may be freed. Not before the reply has been sent. */
void api_grpc_call_free(struct api_grpc_call *call);
