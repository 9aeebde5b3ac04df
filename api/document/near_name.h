/* Names that were most likely mistyped. Clients put keys of their own into
 * `parameters`, which are ignored; a near miss of a known name is refused. */
#pragma once

#include <stdbool.h>

/* True if `name` and `known` have the same letters and digits, in any case:
 * timeAxis and time_axis. */
bool alike_name(const char *name, const char *known);

/* True if `name` and `known` differ, but are alike or have at most two letters
 * that are added, left out or exchanged, and both have four letters or more. */
bool near_name(const char *name, const char *known);
