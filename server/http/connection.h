/* HTTP/1 on the loops: its connections, each loop's in an engine of its own. */
#pragma once

#include "server/conn/connection_list.h"

/* For the profile of a port. */
extern const struct protocol protocol_http;
