/* gRPC's own framing: the prefix of a message, the timeout in a header, the
 * text of a status. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/status.h"

enum { FRAMING_PREFIX = 5 }; /* bytes in front of each message */

/* The message's length; its flag is bytes[0]. */
uint32_t framing_length(const unsigned char bytes[FRAMING_PREFIX]);

void framing_write(unsigned char bytes[FRAMING_PREFIX], bool compressed,
                   uint32_t length);

/* The longest timeout that is obeyed; a longer one is none. */
#define FRAMING_TIMEOUT_MAX_US (UINT64_C(1000000) * 3600 * 24 * 365)

/* The value of grpc-timeout, up to eight digits and a unit (H M S m u n), in
 * microseconds, at least 1; 0 for one that is as good as none. False for
 * another text. */
bool framing_timeout(const char *text, uint64_t *timeout_us);

enum { FRAMING_ESCAPED = 3 * STATUS_MESSAGE_SIZE };

/* Writes the text of a status as grpc-message: bytes outside of ' '..'~', and
 * '%', as "%XX". */
void framing_escape(const char text[STATUS_MESSAGE_SIZE],
                    char escaped[FRAMING_ESCAPED]);
