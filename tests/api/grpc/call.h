/* Calls of gRPC's methods without a transport. */
#pragma once

#include "api/grpc.h"

/* Asks as a transport does, with the built-in models. `hex` are the digits of
 * the message, blanks ignored. The answer is "CODE TEXT" of an error, or "0"
 * and the fields of the message by their numbers: {2='text' 3=1 4={...}}; the
 * caller owns it. */
char *call_ask(const char *path, const char *hex);

/* The same with an api_request that is changed by `change` first. */
char *call_ask_with(const char *path, const char *hex,
                    void (*change)(struct api_request *request));

/* The answer when the route has replied to the message with this status and
 * JSON; with an error, unless that is NULL. */
char *call_answer(const char *path, const char *hex, int status,
                  const char *json, const char *error);
