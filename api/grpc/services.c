/* Services whose answers are no JSON of HTTP: grpc.health.v1, with the state of
 * the server, which is that of its only service; and server reflection, of v1
 * and v1alpha, whose messages are the same. */
#include <string.h>

#include "api/grpc/methods.h"

enum { CHECK_SERVICE = 1 }; /* the field of HealthCheckRequest */

/* HealthCheckResponse.ServingStatus */
enum { SERVING = 1, NOT_SERVING = 2, SERVICE_UNKNOWN = 3, STATES };

/* Of HealthListRequest, which has no fields, nothing is read: NULL. */
static bool read_service(const unsigned char *message, size_t len,
                         struct protobuf_text *service, struct status *st)
{
    size_t left = API_GRPC_SMALL_MESSAGE;
    struct protobuf_reader reader = protobuf_read(message, len, &left);
    struct protobuf_field field;

    while (protobuf_next(&reader, &field))
        if (service && field.number == CHECK_SERVICE &&
            field.type == PROTOBUF_BYTES &&
            !protobuf_text(&field, "service", service, st))
            return false;
    return protobuf_end(&reader, st);
}

static bool is_known(const struct protobuf_text *service)
{
    return service->len == 0 || protobuf_text_is(service, GRPC_INFERENCE);
}

bool grpc_health_request(const unsigned char *message, size_t len,
                         struct api_grpc_call *call,
                         struct api_request *request, struct api_reply *reply)
{
    struct protobuf_text service = {"", 0};
    bool lists = grpc_row(call->method)->role == GRPC_HEALTH_LIST;
    struct status st;

    request->method = "GET";
    request->path = "/v2/health/ready";
    if (read_service(message, len, lists ? NULL : &service, &st)) {
        call->unknown_service = !is_known(&service);
        if (!call->unknown_service || call->method->kind == API_GRPC_WATCH)
            return api_route(request->method, request->path, &call->route,
                             reply);
        status_fail(&st, STATUS_NOT_FOUND,
                    "no service '%.*s': known are '' and " GRPC_INFERENCE,
                    service.len < 80 ? (int)service.len : 80, service.text);
    }
    api_reply_status(reply, &st);
    return false;
}

static void reply_static(const void *message, size_t len,
                         struct api_reply *reply)
{
    *reply = (struct api_reply){
        .status = 200,
        .content_type = "application/grpc",
        .piece_count = 1,
        .pieces = {{message, len}},
    };
}

void grpc_health_reply(bool known, bool ready, struct api_reply *reply)
{
    static const unsigned char messages[STATES][2] = {
        [SERVING] = {0x08, SERVING},
        [NOT_SERVING] = {0x08, NOT_SERVING},
        [SERVICE_UNKNOWN] = {0x08, SERVICE_UNKNOWN},
    };
    int state = ready ? SERVING : NOT_SERVING;

    reply_static(messages[known ? state : SERVICE_UNKNOWN], 2, reply);
}

/* The entries of the map: "" and the service, each with its state. */
#define ENTRIES(state)                                                         \
    "\x0A\x06\x0A\x00\x12\x02\x08" state "\x0A\x24\x0A\x1E" GRPC_INFERENCE     \
    "\x12\x02\x08" state

void grpc_health_list_reply(bool ready, struct api_reply *reply)
{
    static const char serving[] = ENTRIES("\x01");
    static const char not_serving[] = ENTRIES("\x02");

    reply_static(ready ? serving : not_serving, sizeof(serving) - 1, reply);
}

void api_grpc_watch(const struct api_grpc_call *call, bool ready,
                    struct api_reply *reply)
{
    grpc_health_reply(!call->unknown_service, ready, reply);
}

/* The fields of ServerReflectionRequest, */
enum {
    ASK_HOST = 1,
    ASK_FILE = 3,
    ASK_SYMBOL = 4,
    ASK_EXTENSION = 5,
    ASK_EXTENSIONS = 6,
    ASK_SERVICES = 7,
};

/* and of ServerReflectionResponse, with those of its parts. */
enum {
    GIVE_HOST = 1,
    GIVE_REQUEST = 2,
    GIVE_FILES = 4,
    GIVE_EXTENSIONS = 5,
    GIVE_SERVICES = 6,
    GIVE_ERROR = 7,

    FILES_FILE = 1,
    EXTENSIONS_TYPE = 1,
    SERVICES_SERVICE = 1,
    SERVICE_NAME = 1,
    ERROR_CODE = 1,
    ERROR_TEXT = 2,
};

struct question {
    struct protobuf_text host, text;
    uint32_t number; /* of the last choice; 0: none */
};

static bool read_question(const unsigned char *message, size_t len,
                          struct question *q, struct status *st)
{
    size_t left = API_GRPC_SMALL_MESSAGE;
    struct protobuf_reader reader = protobuf_read(message, len, &left);
    struct protobuf_field field;

    *q = (struct question){.host = {"", 0}, .text = {"", 0}};
    while (protobuf_next(&reader, &field)) {
        bool host = field.number == ASK_HOST;

        if (field.type != PROTOBUF_BYTES ||
            !(host ||
              (field.number >= ASK_FILE && field.number <= ASK_SERVICES)))
            continue;
        if (field.number != ASK_EXTENSION &&
            !protobuf_text(&field, "the question", host ? &q->host : &q->text,
                           st))
            return false;
        if (!host)
            q->number = field.number;
    }
    return protobuf_end(&reader, st);
}

static void write_error(struct protobuf_writer *w, enum api_grpc_code code,
                        const char *text)
{
    size_t mark = protobuf_write_open(w, GIVE_ERROR);

    protobuf_write_number(w, ERROR_CODE, code);
    protobuf_write_text(w, ERROR_TEXT, text);
    protobuf_write_close(w, mark);
}

/* A file and those that it imports: a client needs them all. */
static void write_files(struct protobuf_writer *w, int file)
{
    size_t mark = protobuf_write_open(w, GIVE_FILES);

    for (; file >= 0; file = grpc_files[file].imports)
        protobuf_write_bytes(w, FILES_FILE, grpc_files[file].data,
                             grpc_files[file].len);
    protobuf_write_close(w, mark);
}

static int find_file(const struct protobuf_text *name)
{
    for (int i = 0; grpc_files[i].name; i++)
        if (protobuf_text_is(name, grpc_files[i].name))
            return i;
    return -1;
}

static int find_symbol(const struct protobuf_text *name)
{
    for (int i = 0; grpc_symbols[i].name; i++)
        if (protobuf_text_is(name, grpc_symbols[i].name))
            return grpc_symbols[i].file;
    return -1;
}

static void write_services(struct protobuf_writer *w)
{
    size_t list = protobuf_write_open(w, GIVE_SERVICES);

    for (int i = 0; grpc_services[i]; i++) {
        size_t service = protobuf_write_open(w, SERVICES_SERVICE);

        protobuf_write_text(w, SERVICE_NAME, grpc_services[i]);
        protobuf_write_close(w, service);
    }
    protobuf_write_close(w, list);
}

static void write_found(struct protobuf_writer *w, int file, const char *what)
{
    if (file >= 0)
        write_files(w, file);
    else
        write_error(w, API_GRPC_NOT_FOUND, what);
}

/* No message here can be extended. */
static void write_extensions(struct protobuf_writer *w,
                             const struct protobuf_text *type)
{
    size_t mark;

    if (find_symbol(type) < 0) {
        write_error(w, API_GRPC_NOT_FOUND, "no such type");
        return;
    }
    mark = protobuf_write_open(w, GIVE_EXTENSIONS);
    protobuf_write_bytes(w, EXTENSIONS_TYPE, type->text, type->len);
    protobuf_write_close(w, mark);
}

static void write_answer(struct protobuf_writer *w, const struct question *q)
{
    switch (q->number) {
    case ASK_FILE:
        write_found(w, find_file(&q->text), "no such file");
        break;
    case ASK_SYMBOL:
        write_found(w, find_symbol(&q->text), "no such symbol");
        break;
    case ASK_EXTENSION:
        write_error(w, API_GRPC_NOT_FOUND, "no such extension");
        break;
    case ASK_EXTENSIONS:
        write_extensions(w, &q->text);
        break;
    case ASK_SERVICES:
        write_services(w);
        break;
    default:
        write_error(w, API_GRPC_INVALID_ARGUMENT, "the request asks nothing");
        break;
    }
}

void grpc_reflect(const unsigned char *message, size_t len,
                  struct api_reply *reply)
{
    struct protobuf_writer w;
    struct question q;
    struct status st;

    if (!read_question(message, len, &q, &st)) {
        api_reply_status(reply, &st);
        return;
    }
    protobuf_writer_grow(&w);
    protobuf_write_bytes(&w, GIVE_HOST, q.host.text, q.host.len);
    protobuf_write_bytes(&w, GIVE_REQUEST, message, len);
    write_answer(&w, &q);
    grpc_reply_message(reply, &w);
}
