/* gRPC on the loops of HTTP. */
#pragma once

#include "server/conn/connection_list.h"

/* For the profile of its port. */
extern const struct protocol protocol_grpc;
