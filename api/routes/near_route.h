/* The path that was most likely meant, for the text of a 404. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Writes the nearest path of the route table to `text`, with the segments of
 * `path` in the place of its parameters: "/v2/model/x" gives "/v2/models/x". A
 * path is near that differs in two letters at most, where a missing segment
 * counts as two; `path` is at least twice as long as the difference. Version 1
 * has "/v1/models/x:predict" for "/v2/models/x/infer". False when there is
 * none, or when it does not fit in `size` bytes. */
bool near_route(const char *path, char *text, size_t size);
