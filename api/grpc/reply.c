/* Replies as messages and gRPC's statuses. */
#include <stdlib.h>
#include <string.h>

#include "api/grpc/answers.h"
#include "api/grpc/convert.h"
#include "api/grpc/methods.h"
#include "api/wire/wire.h"

/* The fields of ModelStreamInferResponse, and the id of a ModelInferResponse.
 */
enum { STREAM_ERROR = 1, STREAM_RESPONSE = 2, RESPONSE_ID = 3 };

enum api_grpc_code api_grpc_code(int http_status)
{
    switch (http_status) {
    case 200:
        return API_GRPC_OK;
    case 400:
    case 411:
    case 417:
        return API_GRPC_INVALID_ARGUMENT;
    case 401:
        return API_GRPC_UNAUTHENTICATED;
    case 403:
        return API_GRPC_PERMISSION_DENIED;
    case 404:
        return API_GRPC_NOT_FOUND;
    case 405:
    case 415:
    case 501:
        return API_GRPC_UNIMPLEMENTED;
    case 408:
    case 504:
        return API_GRPC_DEADLINE_EXCEEDED;
    case 413:
    case 431:
        return API_GRPC_RESOURCE_EXHAUSTED;
    case 499:
        return API_GRPC_CANCELLED;
    case 503:
        return API_GRPC_UNAVAILABLE;
    default:
        return API_GRPC_INTERNAL;
    }
}

/* Makes the pieces of a reply `data`, from malloc. */
static void replace(struct api_reply *reply, void *data, size_t len)
{
    free(reply->owned);
    reply->owned = data;
    reply->error = NULL;
    reply->content_type = "application/grpc";
    reply->json_len = 0;
    reply->gzip = NULL;
    reply->piece_count = 0;
    if (len > 0)
        encoder_add(reply, data, len);
}

void grpc_reply_message(struct api_reply *reply, struct protobuf_writer *w)
{
    if (w->failed) {
        free(w->data);
        api_reply_error(reply, 503, "out of memory");
        return;
    }
    *reply = (struct api_reply){.status = 200};
    replace(reply, w->data, w->len);
}

/* Reads the JSON of a reply that is one piece; NULL for any other, and without
 * memory. The tree is to be freed in any case. */
static const struct tree_value *parse(const struct api_reply *reply,
                                      struct tree *tree)
{
    const struct api_piece *piece = &reply->pieces[0];
    struct status st;

    tree_init(tree, NULL, 0);
    return reply->piece_count == 1 &&
                   tree_read_own(tree, piece->data, piece->len, &st)
               ? tree->root
               : NULL;
}

/* Leaves the text of {"error": TEXT} and no piece. */
static void take_error(struct api_reply *reply, struct api_grpc_status *status)
{
    struct tree tree;
    const struct tree_value *text = tree_get(parse(reply, &tree), "error");
    char *copy = text && text->kind == TREE_STRING ? strdup(text->text) : NULL;

    status->code =
        reply->malformed ? API_GRPC_INTERNAL : api_grpc_code(reply->status);
    status->text = copy ? copy : "";
    replace(reply, copy, 0);
    reply->error = copy;
    tree_free(&tree);
}

static void fail_internal(struct api_reply *reply,
                          struct api_grpc_status *status)
{
    replace(reply, NULL, 0);
    reply->status = 503;
    *status = (struct api_grpc_status){API_GRPC_UNAVAILABLE, "out of memory"};
    reply->error = status->text;
}

static bool is_health(const struct grpc_row *row)
{
    return row->role == GRPC_HEALTH || row->role == GRPC_HEALTH_LIST;
}

static bool is_answer(const struct grpc_row *row, int http_status)
{
    return http_status == 200 ||
           (http_status == 503 &&
            (row->role == GRPC_READY || row->role == GRPC_MODEL_READY ||
             is_health(row)));
}

/* A message of the JSON; NULL, or one with "error", is none. */
static void convert(const struct grpc_row *row, const struct tree_value *json,
                    struct api_reply *reply, struct api_grpc_status *status)
{
    struct protobuf_writer w;

    protobuf_writer_grow(&w);
    grpc_from_json(row->response, json, &w);
    if (w.failed) {
        free(w.data);
        fail_internal(reply, status);
        return;
    }
    replace(reply, w.data, w.len);
}

static void answer_health(const struct grpc_row *row, bool ready,
                          struct api_reply *reply)
{
    api_reply_free(reply);
    if (row->role == GRPC_HEALTH_LIST)
        grpc_health_list_reply(ready, reply);
    else
        grpc_health_reply(true, ready, reply);
}

static void answer(const struct grpc_row *row, struct api_reply *reply,
                   struct api_grpc_status *status)
{
    struct tree tree;
    const struct tree_value *json = parse(reply, &tree), *ready;

    if (tree_get(json, "error")) {
        take_error(reply, status);
    } else if (!json) {
        fail_internal(reply, status);
    } else if (is_health(row)) {
        ready = tree_get(json, "ready");
        answer_health(row, ready && ready->kind == TREE_BOOL && ready->flag,
                      reply);
    } else {
        convert(row, json, reply, status);
    }
    tree_free(&tree);
}

/* The id of the request whose inference was refused. */
static void write_id(struct protobuf_writer *w,
                     const struct api_request *request)
{
    struct api_piece id = protobuf_id(request);
    size_t mark;

    if (id.len == 0)
        return;
    mark = protobuf_write_open(w, STREAM_RESPONSE);
    protobuf_write_bytes(w, RESPONSE_ID, id.data, id.len);
    protobuf_write_close(w, mark);
}

/* An error of a stream's message is a message, and the stream goes on. */
static void wrap_error(const struct api_request *request,
                       struct api_reply *reply, struct api_grpc_status *status)
{
    const char *text = *status->text ? status->text : "?";
    struct protobuf_writer w;
    size_t len;

    protobuf_writer_grow(&w);
    protobuf_write_text(&w, STREAM_ERROR, text);
    write_id(&w, request);
    len = w.len;
    protobuf_write_raw(&w, text, strlen(text) + 1); /* for the log */
    if (w.failed) {
        free(w.data);
        fail_internal(reply, status);
        return;
    }
    replace(reply, w.data, len);
    reply->error = (const char *)w.data + len;
    *status = (struct api_grpc_status){API_GRPC_OK, ""};
}

/* The head of ModelStreamInferResponse goes in front of the inference's. */
static void wrap(struct api_grpc_call *call, struct api_reply *reply)
{
    struct protobuf_writer w;

    protobuf_writer_init(&w, call->head, sizeof(call->head));
    protobuf_write_head(&w, STREAM_RESPONSE, api_reply_bytes(reply));
    memmove(&reply->pieces[1], &reply->pieces[0],
            (size_t)reply->piece_count++ * sizeof(reply->pieces[0]));
    reply->pieces[0] = (struct api_piece){w.data, w.len};
}

static void reply_infer(struct api_grpc_call *call,
                        const struct api_request *request,
                        struct api_reply *reply, struct api_grpc_status *status)
{
    bool stream = call->method->kind == API_GRPC_STREAM;

    if (reply->status != 200)
        take_error(reply, status);
    if (!stream || reply->malformed)
        return;
    if (reply->status == 200)
        wrap(call, reply);
    else
        wrap_error(request, reply, status);
}

void api_grpc_reply(struct api_grpc_call *call,
                    const struct api_request *request, struct api_reply *reply,
                    struct api_grpc_status *status)
{
    const struct grpc_row *row = grpc_row(call->method);

    *status = (struct api_grpc_status){API_GRPC_OK, ""};
    if (row->role == GRPC_INFER)
        reply_infer(call, request, reply, status);
    else if (row->role == GRPC_MODEL_READY && reply->status == 404)
        replace(reply, NULL, 0); /* an empty message: not ready */
    else if (!is_answer(row, reply->status))
        take_error(reply, status);
    else if (row->role != GRPC_REFLECTION)
        answer(row, reply, status);
}
