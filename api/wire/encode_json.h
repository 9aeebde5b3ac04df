/* Encodes a result as a JSON document, with the data in it or, in binary,
 * behind it. */
#pragma once

#include "api/wire/encoder.h"

extern const struct encoder encode_json;
