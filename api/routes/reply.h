/* Replies that are one piece of JSON text; private to api/. */
#pragma once

#include "api/api.h"
#include "api/base/json_writer.h"

/* Makes `reply` the finished text of a growing writer, whose memory it takes
 * over; without memory a 503 that says so. */
void reply_text(struct api_reply *reply, int status, struct json_writer *text);
