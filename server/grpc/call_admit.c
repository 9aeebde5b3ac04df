/* Which calls are served, by their headers and by the length of a message. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "kernels/core/shorten.h"
#include "server/grpc/call.h"

enum {
    LARGE_MESSAGE = 64 << 10, /* bytes */
    SHOWN_PATH = 151,         /* bytes of a text of the client in an error */
    SHOWN_CODING = 41,
};

static const char *find(const struct call *call, const char *name)
{
    return metadata_find((void *)(uintptr_t)&call->metadata, name);
}

/* A client that does not speak gRPC gets a reply that it can read. */
static bool refuse_plain(struct call *call, int status, const char *text)
{
    call->is_plain = true;
    call_fail(call, status, -1, text);
    return false;
}

static bool refuse(struct call *call, int status, const char *text)
{
    call_fail(call, status, -1, text);
    return false;
}

/* What follows "application/grpc" in the content-type; NULL: it is another. */
static const char *find_subtype(const struct call *call)
{
    static const char grpc[] = "application/grpc";
    const char *type = find(call, "content-type");
    size_t len = sizeof(grpc) - 1;

    if (!type || strncasecmp(type, grpc, len) != 0 || !strchr("+;", type[len]))
        return NULL;
    return type + len;
}

bool call_is_grpc(const struct call *call)
{
    return find_subtype(call) != NULL;
}

static bool is_grpc(struct call *call)
{
    const char *method = find(call, ":method");
    const char *subtype = find_subtype(call);

    if (!subtype)
        return refuse_plain(call, 415,
                            "this port speaks gRPC: the content-type must be "
                            "application/grpc; HTTP has a port of its own");
    if (!method || strcmp(method, "POST") != 0)
        return refuse_plain(call, 405, "gRPC's method is POST");
    if (*subtype == '+' && strncasecmp(subtype, "+proto", 6) != 0) {
        call_fail_as(call, API_GRPC_UNIMPLEMENTED, 415, -1,
                     "messages must be in protobuf: application/grpc+proto");
        return false;
    }
    return true;
}

static bool find_method(struct call *call)
{
    const char *path = find(call, ":path");
    char shown[SHOWN_PATH] = "", text[200];

    call->method = path ? api_grpc_find(path) : NULL;
    if (call->method)
        return true;
    if (path)
        shorten(path, strlen(path), shown, sizeof(shown));
    snprintf(text, sizeof(text), "unknown method %s", shown);
    call_fail_as(call, API_GRPC_UNIMPLEMENTED, 404, -1, text);
    return false;
}

static bool fits(struct call *call)
{
    char text[120];

    switch (call->metadata.verdict) {
    case METADATA_OK:
        return true;
    case METADATA_NO_MEMORY:
        return refuse(call, 503, "no memory for the headers: try again");
    case METADATA_TOO_LARGE:
        break;
    }
    snprintf(text, sizeof(text),
             "the headers have %zu bytes, but %d is the limit",
             call->metadata.list_size, METADATA_MAX);
    call_fail_as(call, API_GRPC_RESOURCE_EXHAUSTED, 431, -1, text);
    return false;
}

/* Other methods are restricted by the route that a message chooses. */
static bool is_authorized(struct call *call)
{
    struct job *job = &call->task.job;

    if (route_auth_allow(&call->session->port->loop->service->route_auth,
                         call->method->route, "GET", metadata_find,
                         &call->metadata, &job->reply))
        return true;
    call_refuse(call);
    return false;
}

static bool read_timeout(struct call *call)
{
    const char *text = find(call, "grpc-timeout");

    if (!text || framing_timeout(text, &call->timeout_us))
        return true;
    call_fail_as(call, API_GRPC_INTERNAL, 400, -1,
                 "grpc-timeout must have 1 to 8 digits and a unit of H, M, S, "
                 "m, u or n");
    return false;
}

/* Clients list gzip whether or not they want it: a reply is compressed for one
 * that compresses its request. */
static enum content_coding choose_coding(const struct call *call)
{
    const char *accept = find(call, "grpc-accept-encoding");
    enum content_coding_policy policy =
        (enum content_coding_policy)
            call->task.job.context->options->http_response_compression;

    if (policy == CODING_AUTO)
        return content_coding_accepts(accept, call->coding) ? call->coding
                                                            : CODING_IDENTITY;
    return content_coding_choose(accept, policy);
}

static bool read_codings(struct call *call)
{
    const char *name = find(call, "grpc-encoding");
    char shown[SHOWN_CODING], text[120];

    if (name && !*name)
        name = NULL;
    if (content_coding_parse(name, &call->coding)) {
        call->reply_coding = choose_coding(call);
        return true;
    }
    snprintf(text, sizeof(text),
             "grpc-encoding is %s, but must be identity, gzip or deflate",
             shorten(name, strlen(name), shown, sizeof(shown)));
    call_fail_as(call, API_GRPC_UNIMPLEMENTED, 415, -1, text);
    return false;
}

/* In the documented order. */
bool call_admit(struct call *call)
{
    return fits(call) && is_grpc(call) && find_method(call) &&
           is_authorized(call) && read_timeout(call) && read_codings(call);
}

size_t call_limit(const struct call *call)
{
    const struct options *options = call->task.job.context->options;
    size_t limit = (size_t)options->http_max_input_size;

    if (options->grpc_max_message > 0 &&
        (size_t)options->grpc_max_message < limit)
        limit = (size_t)options->grpc_max_message;
    return call->method->is_infer || limit < API_GRPC_SMALL_MESSAGE
               ? limit
               : (size_t)API_GRPC_SMALL_MESSAGE;
}

/* The error of a body that is refused. The texts are those of HTTP where no
 * other message of the call has the job. */
bool call_refuse_body(struct call *call, struct message *message,
                      enum body_verdict verdict)
{
    struct job *job = &call->task.job;
    size_t len = message->framing.length;
    char text[160];

    if (verdict == BODY_TOO_LARGE) {
        snprintf(text, sizeof(text),
                 "the message has %zu bytes, but the limit is %zu", len,
                 call_limit(call));
        call_fail(call, 413, METRICS_BODY_TOO_LARGE, text);
    } else if (call->current || verdict == BODY_NO_MEMORY) {
        call_fail(call, 503, METRICS_INFLIGHT_BYTES,
                  "no memory for the message: try again");
    } else {
        job->lease = &message->lease;
        job_fail_reservation(job, (enum lease_verdict)verdict, len,
                             "the message");
        job->lease = &call->lease;
        call_refuse(call);
    }
    return false;
}

/* A large message is not even read when its job would wait too long. */
static bool has_worker(struct call *call, const struct message *message)
{
    struct job *job = &call->task.job;

    if (message->framing.length <= LARGE_MESSAGE || !call->method->is_infer ||
        call->method->kind != API_GRPC_UNARY)
        return true;
    job->request.body_len = message->framing.length;
    job->request.is_protobuf = true;
    if (worker_admit(&call->task))
        return true;
    call_refuse(call);
    return false;
}

static bool check_flag(struct call *call, const struct message *message)
{
    if (!message->framing.valid) {
        call_fail_as(call, API_GRPC_INTERNAL, 400, -1,
                     "the flag in front of a message must be 0 or 1");
        return false;
    }
    if (message->framing.compressed && !call->coding) {
        call_fail_as(call, API_GRPC_INTERNAL, 400, -1,
                     "a message is compressed, but there is no grpc-encoding");
        return false;
    }
    if (message->framing.compressed && message->framing.length == 0) {
        call_fail_as(call, API_GRPC_INTERNAL, 400, -1,
                     "a compressed message must have bytes");
        return false;
    }
    return true;
}

bool call_admit_message(struct call *call, struct message *message)
{
    enum body_verdict verdict;

    if (!check_flag(call, message))
        return false;
    message->body.limit = call_limit(call);
    verdict = body_announce(&message->body, message->framing.length);
    if (verdict != BODY_OK)
        return call_refuse_body(call, message, verdict);
    return has_worker(call, message);
}
