/* Messages of gRPC's inference out of JSON, and back, for tests: with an
 * encoder of their own. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "tests/api/ask.h"

struct message {
    unsigned char *data; /* owned */
    size_t len;
};

/* The bytes of these hexadecimal digits, blanks between bytes ignored; the
 * caller owns them. */
unsigned char *message_unhex(const char *hex, size_t *len);

/* A ModelInferRequest. `json` has the fields by their names, ' stands for ":
 * raw_input_contents are texts of hexadecimal digits, a parameter is a scalar,
 * or {"uint64": "1"}, and an unknown key {"raw": HEX} puts these bytes there.
 * Lists of numbers are packed unless `unpacked`. */
struct message message_of(const char *json, bool unpacked);

void message_free(struct message *message);

/* The ModelInferResponse as such JSON, with raw_output_contents in
 * hexadecimal digits; the caller owns the text. Fails the test when malformed.
 */
char *message_text(const unsigned char *data, size_t len);

/* Asks api/ with the message of this JSON. */
struct answer ask_message(const char *json, struct ask question);

/* The answer is 200 and such a message; frees it. */
void assert_message(struct answer answer, const char *text);
