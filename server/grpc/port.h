/* gRPC as a guest of the loops of HTTP. */
#pragma once

#include "server/conn/service.h"

/* For service.guest. */
extern const struct loop_guest guest_grpc;
