/* The routes that the server answers itself, for they are about the server. */
#pragma once

#include "server/answer.h"

/* False when the route is api/'s to answer. Loop thread. */
bool own_answer(struct answer *answer, const struct api_route *route);
