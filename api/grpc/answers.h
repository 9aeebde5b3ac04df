/* Health and reflection, whose answers are no JSON of HTTP. Private to
 * api/grpc. */
#pragma once

#include "api/grpc.h"
#include "api/protobuf/writer.h"

/* Makes `reply` a message, and takes over the writer's memory; 503 when it
 * lacked some. */
void grpc_reply_message(struct api_reply *reply, struct protobuf_writer *w);

/* api_grpc_request() for grpc.health.v1: asks whether the server is ready. */
bool grpc_health_request(const unsigned char *message, size_t len,
                         struct api_grpc_call *call,
                         struct api_request *request, struct api_reply *reply);

/* Makes `reply` the HealthCheckResponse of a state; static. */
void grpc_health_reply(bool known, bool ready, struct api_reply *reply);

/* The HealthListResponse, in which all services have the same state; static. */
void grpc_health_list_reply(bool ready, struct api_reply *reply);

/* Makes `reply` the answer to a ServerReflectionRequest. */
void grpc_reflect(const unsigned char *message, size_t len,
                  struct api_reply *reply);
