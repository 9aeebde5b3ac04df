/* Replies that are one piece of JSON text. */
#pragma once

#include "api/api.h"
#include "api/base/json_writer.h"

/* Makes `reply` the finished text of a growing writer, and takes over its
 * memory. When the writer lacked memory: a 503 that says so. */
void reply_text(struct api_reply *reply, int status, struct json_writer *text);
