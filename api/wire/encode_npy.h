/* Encodes a result as the .npy file that the request was, with its data moved.
 * Only for requests from decode_npy() whose result is not text. */
#pragma once

#include "api/wire/encoder.h"

extern const struct encoder encode_npy;
