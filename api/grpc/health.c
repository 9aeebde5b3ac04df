/* grpc.health.v1: the state of the server, which is that of its only service.
 */
#include <string.h>

#include "api/grpc/answers.h"
#include "api/grpc/methods.h"
#include "api/protobuf/text.h"

enum { CHECK_SERVICE = 1 }; /* the field of HealthCheckRequest */

/* HealthCheckResponse.ServingStatus */
enum { SERVING = 1, NOT_SERVING = 2, SERVICE_UNKNOWN = 3, STATES };

static bool read_service(const unsigned char *message, size_t len,
                         struct protobuf_text *service, struct status *st)
{
    size_t left = API_GRPC_SMALL_MESSAGE;
    struct protobuf_reader reader = protobuf_read(message, len, &left);
    struct protobuf_field field;

    *service = (struct protobuf_text){"", 0};
    while (protobuf_next(&reader, &field))
        if (field.number == CHECK_SERVICE && field.type == PROTOBUF_BYTES &&
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
    if (lists || read_service(message, len, &service, &st)) {
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
