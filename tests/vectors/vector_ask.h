/* Asks api_answer() a vector and compares the answer. */
#pragma once

#include "tests/vector_file.h"

/* Sends the data tensor as binary or JSON, asks for binary or JSON, and fails
 * the running Check test on any difference. */
void vector_ask(const struct vector *v, bool send_binary, bool want_binary);

/* The same by gRPC's message: with the data typed and lengths or axes raw, or
 * the other way round. */
void vector_ask_message(const struct vector *v, bool typed);
