/* Messages as requests of HTTP. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/grpc/answers.h"
#include "api/grpc/convert.h"
#include "api/grpc/methods.h"
#include "api/server_state.h"

/* Bytes of a text that go into a path: no name has more, so a longer one names
 * nothing either way. */
enum { MOST_TEXT = API_SHM_NAME, LAST_TEXT = 2 };

struct path {
    struct protobuf_text texts[LAST_TEXT + 1]; /* by number; 0 is free */
    struct json_writer out;
};

/* Everything but letters, digits and '.', '_', '-' is escaped. */
static void write_segment(struct json_writer *w,
                          const struct protobuf_text *text)
{
    size_t len = text->len < MOST_TEXT ? text->len : MOST_TEXT;
    char escape[4];

    for (size_t i = 0; i < len; i++) {
        unsigned char byte = (unsigned char)text->text[i];
        bool plain =
            (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
            (byte >= '0' && byte <= '9') || (byte > 0 && strchr("._-", byte));

        snprintf(escape, sizeof(escape), plain ? "%c" : "%%%02X", byte);
        json_writer_raw(w, escape);
    }
}

/* True if the part in brackets that begins at `at` has a text. */
static bool is_wanted(const struct path *path, const char *at)
{
    return path->texts[strchr(at, '{')[1] - '0'].len > 0;
}

static void write_path(struct path *path, const char *at)
{
    for (; *at; at++) {
        if (*at == '[' && !is_wanted(path, at))
            at = strchr(at, ']');
        else if (*at == '{')
            write_segment(&path->out, &path->texts[*++at - '0']);
        else if (!strchr("[]}", *at))
            json_writer_bytes(&path->out, at, 1);
    }
}

/* The fields that the path names, of which those outside of brackets must not
 * be empty. */
static bool read_texts(const struct grpc_row *row, const unsigned char *message,
                       size_t len, struct path *path, struct status *st)
{
    const char *at = row->path;

    memset(path->texts, 0, sizeof(path->texts));
    for (at = strchr(at, '{'); at; at = strchr(at + 1, '{')) {
        uint32_t number = (uint32_t)(at[1] - '0');
        struct protobuf_text *text = &path->texts[number];

        if (!grpc_text(row->request, message, len, number, text, st))
            return false;
        if (text->len == 0 && at[strcspn(at, "[]")] != ']')
            return status_fail(st, STATUS_INVALID, "%s is empty",
                               row->request->fields[number - 1].name);
    }
    return true;
}

static bool write_body(const struct grpc_row *row, const unsigned char *message,
                       size_t len, struct json_writer *w, struct status *st)
{
    return strcmp(row->http, "GET") == 0 ||
           grpc_to_json(row->request, message, len, w, st);
}

/* Path, NUL and body in one block of memory. */
static bool write_request(const struct grpc_row *row,
                          const unsigned char *message, size_t len,
                          struct api_grpc_call *call,
                          struct api_request *request, struct status *st)
{
    struct path path;
    size_t body;
    bool ok;

    if (!read_texts(row, message, len, &path, st))
        return false;
    json_writer_grow(&path.out);
    write_path(&path, row->path);
    json_writer_bytes(&path.out, "", 1);
    body = path.out.len;
    ok = write_body(row, message, len, &path.out, st);
    call->owned = path.out.data;
    if (!ok || path.out.failed)
        return ok && status_fail(st, STATUS_NO_MEMORY, "out of memory");
    request->path = path.out.data;
    request->body = (unsigned char *)path.out.data + body;
    request->body_len = path.out.len - body;
    return true;
}

/* A map of settings without an entry asks for them. */
static const char *http_method(const struct grpc_row *row,
                               const struct api_request *request)
{
    return grpc_is_map(row->request) && request->body_len <= 2 ? "GET"
                                                               : row->http;
}

static bool make_request(const struct grpc_row *row,
                         const unsigned char *message, size_t len,
                         struct api_grpc_call *call,
                         struct api_request *request, struct api_reply *reply)
{
    struct status st;

    if (!write_request(row, message, len, call, request, &st)) {
        api_reply_status(reply, &st);
        return false;
    }
    request->method = http_method(row, request);
    if (api_route(request->method, request->path, &call->route, reply))
        return true;
    reply->status = 501; /* no such route: a method that is not implemented */
    return false;
}

static bool make_infer(const struct api_grpc_method *method,
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
    return true;
}

static bool fail_large(size_t len, struct api_reply *reply)
{
    struct status st;

    status_fail(&st, STATUS_TOO_LARGE,
                "the message has %zu bytes, but this method takes %d at most",
                len, API_GRPC_SMALL_MESSAGE);
    api_reply_status(reply, &st);
    return false;
}

/* Some methods ask for nothing that a message can say: their messages are read
 * all the same. */
static bool check(const unsigned char *message, size_t len,
                  struct api_reply *reply)
{
    size_t left = API_GRPC_SMALL_MESSAGE;
    struct protobuf_reader reader = protobuf_read(message, len, &left);
    struct protobuf_field field;
    struct status st;

    while (protobuf_next(&reader, &field))
        ;
    if (protobuf_end(&reader, &st))
        return true;
    api_reply_status(reply, &st);
    return false;
}

bool api_grpc_request(const struct api_grpc_method *method,
                      unsigned char *message, size_t len,
                      struct api_grpc_call *call, struct api_request *request,
                      struct api_reply *reply)
{
    const struct grpc_row *row = grpc_row(method);

    *call = (struct api_grpc_call){.method = method};
    request->route = &call->route;
    *reply = (struct api_reply){0};
    if (row->role == GRPC_INFER)
        return make_infer(method, message, len, call, request);
    if (len > API_GRPC_SMALL_MESSAGE)
        return fail_large(len, reply);
    if (!check(message, len, reply))
        return false;
    if (row->role == GRPC_HEALTH || row->role == GRPC_HEALTH_LIST)
        return grpc_health_request(message, len, call, request, reply);
    if (row->role == GRPC_REFLECTION) {
        grpc_reflect(message, len, reply);
        return false;
    }
    return make_request(row, message, len, call, request, reply);
}

void api_grpc_call_free(struct api_grpc_call *call)
{
    free(call->owned);
    *call = (struct api_grpc_call){0};
}
